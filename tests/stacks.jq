# The stacks of documents as lines "module.name:line;... COUNT" by the first column, in
# the way of Grafana's reader: without the frames of allocated classes.
def canon: gsub("/"; ".")
	| gsub("\\$\\$Lambda(\\$[0-9]+[./](0x)?[0-9a-f]+|\\$[0-9]+|[./](0x)?[0-9a-f]+|_)(?=\\.|$)"; "$$Lambda_")
	| gsub("GeneratedMethodAccessor([0-9]+|_)"; "GeneratedMethodAccessor_");
def joined($a; $b): if $a == "" then $b elif $b == "" then $a else $a + ";" + $b end;
. as $d
| [.frames[]
	| if .class == "type" then ""
	else (if .module then .module + "." else "" end) + (.name | canon | ltrimstr(".")) + ":" + (.line // 0 | tostring)
	end] as $f
| (reduce range(1; .nodes.parent | length) as $i ([""];
	.[$i] = joined(.[$d.nodes.parent[$i]]; $f[$d.nodes.frame[$i]]))) as $path
| range(1; $path | length) as $i
| select($d.nodes.self[0][$i] != 0)
| "\($path[$i]) \($d.nodes.self[0][$i])"
