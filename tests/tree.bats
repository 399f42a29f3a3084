#!/usr/bin/env bats
# What the tree stream must be able to say, in documents written by hand.
load helper

T=$BATS_TEST_DIRNAME/fixtures/tree

@test "every document is canonical and survives JSON and protobuf" {
	for f in "$T"/*.json; do
		stackmerge "$f" | cmp - "$f"
		stackmerge -o pb "$f" | stackmerge | cmp - "$f"
		stackmerge -o pb "$f" | gzip | stackmerge -o pb | stackmerge | cmp - "$f"
	done
}

@test "a Go heap profile: what is in use, and what was ever allocated" {
	# 419430 + 209715 + 1024 bytes in use; growSlice has 629145 of them.
	run stackmerge -t inuse_space -o folded "$T/go-heap.json"
	[ "$output" = "main.main;main.load 1024
main.main;main.load;bytes.growSlice 419430
main.main;main.serve;bytes.growSlice 209715" ]
	# The default is the fourth type; -t alloc_objects is the first.
	run stackmerge -t alloc_objects -o top --rows 1 "$T/go-heap.json"
	[[ ${lines[0]} == *"alloc_objects/count, total 75" ]]
	[[ ${lines[2]} == *"60   80.0 %"*"60   80.0 %  bytes.growSlice" ]]
}

@test "gauges: the last document of an instance counts, instances add" {
	sed 's/"web-1"/"web-2"/' "$T/go-heap.json" >other.json
	sed 's/"end_ns":1700000000000000000/"end_ns":1700000060000000000/; s/,419430,/,100,/' \
		"$T/go-heap.json" >later.json
	# The later one of web-1 replaces it: 100 instead of 419430; allocations add.
	run stackmerge -t inuse_space -o folded "$T/go-heap.json" later.json
	[ "${lines[1]}" = "main.main;main.load;bytes.growSlice 100" ]
	run stackmerge -t alloc_objects -o folded "$T/go-heap.json" later.json
	[ "${lines[1]}" = "main.main;main.load;bytes.growSlice 80" ]
	# In any order.
	run stackmerge -t inuse_space -o folded later.json "$T/go-heap.json" other.json
	[ "${lines[1]}" = "main.main;main.load;bytes.growSlice 419530" ]
	# Instances were added: that result cannot be merged once more.
	stackmerge "$T/go-heap.json" other.json >both.json
	grep -q '"agg":"final"' both.json
	run -2 --separate-stderr stackmerge both.json later.json
	[[ $stderr == *"inuse_objects/count is final"* ]]
}

@test "a JFR of six kinds: each with its own types, classes and kinds" {
	run stackmerge -o json "$T/jfr-six-kinds.json"
	[ "${#lines[@]}" = 6 ]
	[ "$(jq -r .labels.event "$T/jfr-six-kinds.json" | xargs)" = "alloc cpu exception live lock wall" ]
	[ "$(jq -r 'select(.labels.event == "alloc").nodes.self[1] | add' "$T/jfr-six-kinds.json")" = 7340104 ]
	[ "$(jq -r 'select(.labels.event == "cpu").nodes.kind | join(" ")' "$T/jfr-six-kinds.json")" = " interpreted jit  inlined" ]
}

@test "five hundred threads: one frame each, the busiest found" {
	run stackmerge -o top --cumulative --rows 3 "$T/threads-500.json"
	# 0 + 1 + ... + 499 = 124750
	[[ ${lines[0]} == *"total 124 750" ]]
	[[ ${lines[2]} == *"124 750"*"run" ]]
	[[ ${lines[3]} == *"499"*"[worker-499]" ]]
	run stackmerge --focus 'worker-499' -o folded "$T/threads-500.json"
	[ "$output" = "[worker-499];run 499" ]
}

@test "SkyWalking thread durations: self is without children, totals are derived" {
	run stackmerge -o top --cumulative "$T/skywalking-thread.json"
	[[ ${lines[2]} == *"30.0 ms"*"100 ms"*"shop.Web.handle" ]]
	[[ ${lines[3]} == *"20.0 ms"*"70.0 ms"*"shop.Db.query" ]]
	run stackmerge -t dumps -o folded "$T/skywalking-thread.json"
	[ "${lines[2]}" = "shop.Web.handle;shop.Db.query;java.net.SocketInputStream.read 6" ]
}

@test "a differential: sides, scale and marks stay, and it never merges" {
	run stackmerge -o json "$T/differential.json" "$T/differential.json"
	[ "${#lines[@]}" = 2 ]
	[ "$(jq -c '[.sides[].labels.version, .norm, .scale[0], .marks.z[2]]' <<<"${lines[0]}")" = '["1.4","1.5","share",0.8,-7.75]' ]
	# 0.8 x (125 + 325 + 50) = 100 + 60 + 240: that is what share means.
	[ "$(jq '(.nodes.self[1] | add) * .scale[0] == (.nodes.self[0] | add)' "$T/differential.json")" = true ]
}

@test "off-CPU: by switches or by time, another frame is first" {
	run stackmerge -t switches -o top --rows 1 --focus read_page "$T/off-cpu.json"
	[[ ${lines[0]} == *"total 120 in 5.00 s" ]]
	run stackmerge -t off_cpu -o folded "$T/off-cpu.json"
	[ "${lines[1]}" = "main;wait_lock;futex_wait_[k];schedule_[k] 3200000000" ]
}

@test "a heat map: when the samples fell" {
	# Columns are seconds, rows steps of 20 ms: (0,0) 1, (0,1) 1, (0,2) 1, (1,0) 2, (1,49) 1
	run jq -c '[.events.t[] | [(. / 1000000000 | floor), (. % 1000000000 / 20000000 | floor)]] | group_by(.) | map(.[0] + [length])' "$T/heat-map.json"
	[ "$output" = "[[0,0,1],[0,1,1],[0,2,1],[1,0,2],[1,49,1]]" ]
	# Merged with itself each event is there twice; sums and events still agree.
	stackmerge "$T/heat-map.json" "$T/heat-map.json" >two.json
	[ "$(jq -c '[(.events.t | length), (.events.self[0] | add), (.nodes.self[0] | add)]' two.json)" = "[12,12,12]" ]
}

@test "a flame chart: what ran when, by thread; other starts are brought together" {
	[ "$(jq -c '[.events.t[1], .events.threads[.events.thread[1]], .nodes.frame[.events.node[1]]]' "$T/flame-chart.json")" = '[1000000,"http-2",2]' ]
	# 5 ms later, on another thread: times count from the earlier start.
	sed 's/"start_ns":1700000000000000000/"start_ns":1700000000005000000/; s/http-1/http-0/' \
		"$T/flame-chart.json" >later.json
	stackmerge "$T/flame-chart.json" later.json >all.json
	[ "$(jq -c '.events.t' all.json)" = "[0,1000000,3000000,5000000,6000000,6000000,8000000,11000000]" ]
	[ "$(jq -c '.events.threads' all.json)" = '["http-0","http-1","http-2"]' ]
	# A document without events among them: there is no order to keep.
	jq -c 'del(.events)' "$T/flame-chart.json" >plain.json
	[ "$(stackmerge all.json plain.json | jq .events)" = null ]
}

@test "pretty-printed JSON and documents behind each other are read" {
	jq . "$T/off-cpu.json" >pretty.json
	stackmerge pretty.json | cmp - "$T/off-cpu.json"
	stackmerge -o pb "$T/heat-map.json" | cat - "$T/off-cpu.json" >mixed
	[ "$(stackmerge mixed | wc -l)" = 2 ]
}

@test "what comes before a broken record has been read; the record is named" {
	{ cat "$T/off-cpu.json"; echo '{"tree":1,"sample_types":[],"frames":[]}'; } >bad.json
	run -2 --separate-stderr stackmerge bad.json
	[[ $stderr == "stackmerge: bad.json: record 2: byte "*": no sample types" ]]
	while IFS='|' read -r text why; do
		printf '%s\n' "$text" >one.json
		run -2 --separate-stderr stackmerge one.json
		[[ $stderr == "stackmerge: one.json: record 1: "*"$why"* ]]
	done <<'ROWS'
{"tree":2}|version of the tree stream other than 1
{"tree":1,"sample_types":[{"type":"a","unit":"b"}],"nodes":{"parent":[-1,0],"frame":[0],"self":[[1]]}}|1 entries in frame, 2 before
{"tree":1,"sample_types":[{"type":"a","unit":"b"}],"nodes":{"parent":[-1,5],"frame":[0,0],"self":[[1,1]]}}|node 1 has parent 5
{"tree":1,"sample_types":[{"type":"a","unit":"b"}],"frames":[],"nodes":{"parent":[-1,0],"frame":[0,0],"self":[[1,1]]}}|names frame 0 of 0
{"tree":1,"sample_types":[{"type":"a","unit":"b"}],"nodes":{"parent":[-1],"frame":[0],"self":[[1],[2]]}}|2 self columns for 1 sample types
{"tree":1,"sample_types":[{"type":"a","unit":"b"}],"nodes":{"parent":[-1,0,1,0,1],"frame":[0,0,0,0,0],"self":[[0,0,0,0,0]]},"frames":[{"name":"x"}]}|node 4 is not in preorder
{"tree":1,"sample_types":[{"type":"a"|ends too early
{"tree":1,"sample_types":[{"type":7}]}|text expected
{"tree":1,"sample_types":[{"type":"a","unit":"b"}],"frames":[{"name":""},{}]|a frame without a name
ROWS
}

@test "protobuf records: announced lengths and magic are checked" {
	stackmerge -o pb "$T/off-cpu.json" >one.pb
	head -c 100 one.pb >cut.pb
	run -2 --separate-stderr stackmerge cut.pb
	[[ $stderr == *"cut.pb: record 1: byte 0: "*"bytes announced, "*" left" ]]
	{ cat one.pb; echo junk; } >tail.pb
	run -2 --separate-stderr stackmerge tail.pb
	[[ $stderr == *"tail.pb: record 2: byte "*"neither '{' nor FPT1 nor FPE1"* ]]
	run -2 --separate-stderr stackmerge --max-record 10 one.pb
	[[ $stderr == *"(--max-record)" ]]
}

@test "an envelope of nothing is an empty input" {
	printf 'FPE1\0\0\0\0' >nothing
	run -2 --separate-stderr stackmerge nothing
	[[ $stderr == "stackmerge: nothing: record 1: empty input" ]]
}

@test "a recursion of 3000 frames passes in every form" {
	awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%sf%d", i ? ";" : "", i % 7; print " 5" }' >deep.folded
	stackmerge deep.folded >deep.json
	stackmerge -o pb deep.json | stackmerge -o folded | cmp - deep.folded
	stackmerge -o pprof deep.json | pprof2tree -o folded | cmp - deep.folded
	stackmerge -o nested deep.json | grep -o '"signature"' | wc -l | grep -qx 3001
	stackmerge -o d3 deep.json | grep -o '"name"' | wc -l | grep -qx 3001
	stackmerge -o top deep.json | grep -q 'total 5$'
	flamediff deep.json deep.folded | stackmerge -o pb | stackmerge | jq '.nodes.parent | length' | grep -qx 3001
	flamesvg -O deep.svg deep.json
	xmllint --noout deep.svg
}

@test "a table of nodes that stands twice is refused, not mixed" {
	printf '%s\n' '{"tree":1,"sample_types":[{"type":"s","unit":"count"}],"frames":[{"name":"a"}],"nodes":{"parent":[-1,0],"frame":[0,0],"self":[[0,1]],"kind":["","jit"]},"nodes":{"parent":[-1,0,0,0,0,0]}}' >twice.json
	run -2 --separate-stderr stackmerge twice.json
	[[ $stderr == "stackmerge: twice.json: record 1: byte "*": nodes stands twice" ]]
}

@test "events whose sums are not the nodes' values keep their nodes under -t" {
	printf '%s\n' '{"tree":1,"sample_types":[{"type":"s","unit":"count"}],"frames":[{"name":"a"},{"name":"b"}],"nodes":{"parent":[-1,0,1],"frame":[0,0,1],"self":[[0,0,0]]},"events":{"threads":["t"],"t":[5],"node":[2],"thread":[0],"self":[[3]]}}' >odd.json
	stackmerge -t 0 odd.json | cmp - odd.json
}

@test "times of events at the ends of 64 bits are errors, never a wrap" {
	for start in 9223372036854775807 -9223372036854775808; do
		sed "s/\"start_ns\":[0-9]*/\"start_ns\":$start/" "$T/flame-chart.json" >far.json
		[ "$start" != -9223372036854775808 ] || sed -i 's/"t":\[0,/"t":[-1,/' far.json
		run -2 --separate-stderr stackmerge far.json far.json
		[[ $stderr == "stackmerge: far.json: record "*": the time of event "*" overflows 64 bits" ]]
	done
	# Each fits by itself, but not seen from the start of the other.
	sed 's/"start_ns":[0-9]*/"start_ns":9000000000000000000/' "$T/flame-chart.json" >late.json
	sed 's/"start_ns":[0-9]*/"start_ns":-9000000000000000000/' "$T/flame-chart.json" >early.json
	run -2 --separate-stderr stackmerge late.json early.json
	[[ $stderr == *"2^63 ns from the start" ]]
}

@test "counts beyond 63 bits are errors in both encodings" {
	doc='{"tree":1,"sample_types":[{"type":"s","unit":"count"}],"profiles":9223372036854775807,"frames":[],"nodes":{"parent":[-1],"frame":[0],"self":[[1]]}}'
	printf '%s\n' "$doc" | stackmerge -o pb | stackmerge | cmp - <(printf '%s\n' "$doc")
	run -2 --separate-stderr stackmerge - <<<"$doc$doc"
	[[ $stderr == *"duration, profiles or truncated overflows" ]]
	# The same record with one more, which takes one byte more.
	printf '%s\n' "$doc" | stackmerge -o pb |
		sed 's/\xff\xff\xff\xff\xff\xff\xff\xff\x7f/\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01/; s/^FPT1,/FPT1-/' >beyond.pb
	run -2 --separate-stderr stackmerge beyond.pb
	[[ $stderr == *"profiles or truncated beyond 2^63" ]]
}

@test "no choice of lines and addresses makes frames collide" {
	awk 'BEGIN {
		n = 150000
		printf "{\"tree\":1,\"sample_types\":[{\"type\":\"s\",\"unit\":\"count\"}],\"identity\":[\"name\",\"line\",\"address\"],\"frames\":["
		for (i = 1; i <= n; i++) printf "%s{\"name\":\"a\",\"line\":%d,\"address\":\"0x%x00000000\"}", (i > 1) ? "," : "", i, i
		printf "],\"nodes\":{\"parent\":[-1"
		for (i = 1; i <= n; i++) printf ",0"
		printf "],\"frame\":[0"
		for (i = 0; i < n; i++) printf ",%d", i
		printf "],\"self\":[[0"
		for (i = 1; i <= n; i++) printf ",1"
		print "]]}}"
	}' >collide.json
	timeout 10 stackmerge collide.json | cmp - collide.json
}

@test "events are told apart by thread, be it one document or two" {
	stackmerge --by thread "$T/flame-chart.json" >by
	[ "$(jq -r .labels.thread by)" = "$(printf 'http-1\nhttp-2')" ]
	[ "$(jq -s 'map(.nodes.self[0] | add) | add' by)" = "$(jq '.nodes.self[0] | add' "$T/flame-chart.json")" ]
	stackmerge --by thread "$T/flame-chart.json" "$T/flame-chart.json" |
		jq -c '[.labels, .frames]' | cmp - <(jq -c '[.labels, .frames]' by)
	stackmerge --keep-going --by thread "$T/flame-chart.json" | cmp - by
	stackmerge --under thread -o folded "$T/flame-chart.json" >under
	[ "$(cut -d ';' -f 1 under | sort -u)" = "$(printf 'http-1\nhttp-2')" ]
}

@test "many groups over many frames: each costs what it holds" {
	awk 'BEGIN {
		n = 60000
		printf "{\"tree\":1,\"sample_types\":[{\"type\":\"s\",\"unit\":\"count\"}],\"frames\":["
		for (i = 0; i < n; i++) printf "%s{\"name\":\"f%d\"}", i ? "," : "", i
		printf "],\"nodes\":{\"parent\":[-1"
		for (i = 0; i < n; i++) printf ",0"
		printf "],\"frame\":[0"
		for (i = 0; i < n; i++) printf ",%d", i
		printf "],\"self\":[[0"
		for (i = 0; i < n; i++) printf ",1"
		printf "]]},\"events\":{\"threads\":["
		for (i = 0; i < 6000; i++) printf "%s\"t%d\"", i ? "," : "", i
		printf "],\"t\":[0"
		for (i = 1; i < n; i++) printf ",%d", i
		printf "],\"node\":[1"
		for (i = 1; i < n; i++) printf ",%d", i + 1
		printf "],\"thread\":[0"
		for (i = 1; i < n; i++) printf ",%d", i % 6000
		printf "],\"self\":[[1"
		for (i = 1; i < n; i++) printf ",1"
		print "]]}}"
	}' >wide.json
	timeout 15 stackmerge --by thread wide.json >by
	grep -c '"thread":"t' by | grep -qx 6000
	grep -m 1 '"thread":"t5999"' by |
		jq -e '([.nodes.self[0][]] | add) == 10 and ([.frames[].name] | sort) == ([range(10) | "f\(. * 6000 + 5999)"] | sort)'
}

@test "deep trees merge as their stacks do, and in time that follows their size" {
	# Chains of 1000 frames with a value and a side branch at each, two that part half way.
	for t in a b; do
		awk -v t=$t 'BEGIN {
			for (i = 1; i <= 1000; i++) {
				f = f (i > 1 ? ";" : "") (i > 500 && t == "b" ? "g" : "f") i % 7
				print f, i
				print f ";z" i % 3, 1
			}
		}' >$t.folded
		stackmerge $t.folded >$t.json
	done
	stackmerge a.folded b.folded >want
	stackmerge a.json b.json | cmp - want
	stackmerge b.json a.json | cmp - want
	stackmerge a.json b.folded | cmp - want
	stackmerge b.json <(stackmerge a.json) | cmp - want
	# Out of order, the siblings the wrong way round.
	jq -c '.frames |= reverse | (.frames | length) as $n | .nodes.frame |= map($n - 1 - .)' a.json >odd.json
	stackmerge odd.json | cmp - a.json
	stackmerge odd.json b.json | cmp - want
	# With another identity and with kinds the slow way is taken; the sums are the same.
	jq -c '.identity = ["name", "line"] | .frames |= map(.line = 3)' b.json >line.json
	[ "$(stackmerge a.json line.json | jq -c '[.nodes.parent, .nodes.self]')" = "$(jq -c '[.nodes.parent, .nodes.self]' want)" ]
	# 60,000 levels: stack by stack that were 1.8 thousand million frames.
	awk 'BEGIN {
		printf "{\"tree\":1,\"sample_types\":[{\"type\":\"a\",\"unit\":\"b\"}],\"frames\":[{\"name\":\"f\"}],\"nodes\":{\"parent\":[-1"
		for (i = 0; i < 60000; i++) printf ",%d", i
		printf "],\"frame\":[0"
		for (i = 0; i < 60000; i++) printf ",0"
		printf "],\"self\":[[0"
		for (i = 0; i < 60000; i++) printf ",1"
		print "]]}}"
	}' >chain.json
	timeout 20 stackmerge chain.json chain.json | jq -c '[(.nodes.self[0] | length), (.nodes.self[0] | add)]' | grep -qFx '[60001,120000]'
}
