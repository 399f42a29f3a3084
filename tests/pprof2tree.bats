#!/usr/bin/env bats
load helper

P=$BATS_TEST_DIRNAME/fixtures/pprof

# folded_of FILE COLUMN: what google/pprof makes of it, without its header and zeros.
folded_of() {
	case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac | grep -v '^# ' | grep -v ' 0$' | sort
}

@test "columns equal google/pprof's" {
	n=0
	for want in "$P"/*.folded?.txt.gz; do
		name=${want##*/} column=${want%.txt.gz}
		column=${column: -1}
		folded_of "$want" >want
		pprof2tree -t "$column" -o folded "$P/${name%.folded*}.pb.gz" | sort | cmp - want
		n=$((n + 1))
	done
	[ "$n" -ge 14 ]
}

@test "columns equal google/pprof's for the whole collection" {
	need_shared
	n=0
	for f in "$SHARED"/fixtures/own/pprof/go1.19-small/*.pb.gz; do
		for want in "$SHARED/fixtures/own/pprof/expected-gopprof/go1.19-small_${f##*/}".folded*; do
			[ -e "$want" ] || continue
			column=${want#*.folded}
			folded_of "$want" >want
			pprof2tree -t "${column%%.*}" -o folded "$f" | sort | cmp - want
			n=$((n + 1))
		done
	done
	[ "$n" = 39 ]
}

@test "probes of a reader that are well formed read as google/pprof's verdicts say" {
	need_shared
	n=0
	for f in "$P"/edge/ok-*; do
		want=$SHARED/fixtures/own/pprof/expected-gopprof/edge_${f##*/}.folded1.txt
		[ -e "$want" ] || continue
		# Differences meant so: U+FFFD for bad bytes, separators in names, the empty stack.
		case $f in *utf8* | *semicolon* | *empty-stack*) continue ;; esac
		folded_of "$want" >want
		pprof2tree -q -t 1 -o folded "$f" | sort | diff - want
		n=$((n + 1))
	done
	[ "$n" -ge 15 ]
}

@test "broken profiles: status 2, a byte and a reason, nothing on standard output" {
	while IFS='|' read -r name why; do
		run -2 --separate-stderr pprof2tree "$P/edge/$name"
		[ -z "$output" ]
		[[ $stderr == "pprof2tree: $P/edge/$name: $why"* ]] || { echo "$stderr" >&2; false; }
	done <<'ROWS'
bad-empty.pb|empty input
bad-gz-twice.pb.gz.gz|gzip within gzip
bad-gzip-truncated.pb.gz|byte 134: gzip: the data end too early
bad-length-overrun.pb.gz|byte 307: 1000 bytes announced, 5 left
bad-location-dup-id.pb.gz|byte 304: two locations have the id 1
bad-location-id0.pb.gz|byte 44: a location has the reserved id 0
bad-location-missing.pb.gz|byte 12: a sample names location 99, which is not defined
bad-location-zero-ref.pb.gz|byte 12: a sample names location 0, which is not defined
bad-mapping-dup-id.pb.gz|byte 304: two mappings have the id 1
bad-mapping-id0.pb.gz|byte 304: a mapping has the reserved id 0
bad-no-sample-type.pb.gz|no sample types: not a pprof profile
bad-packed-truncated-varint.pb.gz|byte 21: number cut short
bad-string-index-negative.pb.gz|byte 304: default_sample_type names string -1 of 12
bad-string-index.pb.gz|byte 304: default_sample_type names string 9999 of 12
bad-string0-nonempty.pb.gz|byte 166: string 0 is not empty
bad-value-count.pb.gz|byte 12: a sample has 1 values for 2 sample types
bad-varint-11.pb.gz|byte 305: number longer than ten bytes
bad-wiretype.pb.gz|byte 304: field 12 of the profile has wire type 2, not 0
bad-wiretype3-group.pb.gz|byte 304: field 50 has wire type 3
concat-raw.pb|byte 581: a second profile begins here
concat-gz-members-same.pb.gz|byte 581: a second profile begins here
text-404.pb.gz|byte 0: not a profile; it begins: Unknown profile
ROWS
}

@test "every sample type is a column, the header is kept, the event derived" {
	run pprof2tree "$P/heap.pb.gz"
	[[ $output == '{"tree":1,"sample_types":[{"type":"alloc_objects","unit":"count"},{"type":"alloc_space","unit":"bytes"},{"type":"inuse_objects","unit":"count","agg":"gauge"},{"type":"inuse_space","unit":"bytes","agg":"gauge"}],"labels":{"event":"heap"},"start_ns":'*'"period":{"type":"space","unit":"bytes","value":'* ]]
	for row in cpu:cpu block:block mutex:mutex goroutine:goroutine threadcreate:threadcreate; do
		run pprof2tree "$P/${row%:*}.pb.gz"
		[[ $output == *"\"event\":\"${row#*:}\""* ]]
	done
	# On standard input no name tells block from mutex.
	run pprof2tree - <"$P/block.pb.gz"
	[[ $output == *'"event":"contention"'* ]]
	run pprof2tree --event block - <"$P/block.pb.gz"
	[[ $output == *'"event":"block"'* ]]
}

@test "granularity: function, file, line, address" {
	run pprof2tree -g file -t 0 -o top --rows 1 "$P/cpu.pb.gz"
	[[ ${lines[2]} == *"sha256block_amd64.s" ]]
	[ "$(pprof2tree -g line "$P/cpu.pb.gz" | jq -c .identity)" = '["name","file","line"]' ]
	[ "$(pprof2tree -g address "$P/cpu.pb.gz" | jq -c '.identity, (.frames[0] | has("address"))' | xargs)" = '[name,file,line,module,address] true' ]
	# Coarser trees add up to the same.
	for g in function filefunction line file address; do
		pprof2tree -g $g "$P/cpu.pb.gz" | jq '[.nodes.self[] | add]' | md5sum
	done | sort -u | wc -l | grep -qx 1
	# Lines merged with functions: the coarser identity holds for both.
	pprof2tree -g line "$P/cpu.pb.gz" | stackmerge - <(pprof2tree "$P/cpu.pb.gz") -t 0 -o folded >both
	pprof2tree -t 0 -o folded "$P/cpu.pb.gz" | awk '{ $NF *= 2; print }' | cmp - both
	run -2 --separate-stderr pprof2tree -g wrong "$P/cpu.pb.gz"
	[[ ${stderr_lines[0]} == *"there are function, filefunction, line, file, address" ]]
}

@test "labels: --by splits, --under nests, numbers match as text" {
	pprof2tree --by trace_id "$P/cpu.pb.gz" >split
	[ "$(wc -l <split)" -gt 10 ]
	want=$(pprof2tree -t 0 "$P/cpu.pb.gz" | jq '.nodes.self[0] | add')
	[ "$(jq -s 'map(.nodes.self[0] | add) | add' split)" = "$want" ]
	[ "$(pprof2tree --under endpoint -t 0 "$P/cpu.pb.gz" | jq '.nodes.self[0] | add')" = "$want" ]
	pprof2tree --under endpoint "$P/cpu.pb.gz" | jq -e '[.frames[] | select(.class == "label")] | length > 1'
	run pprof2tree --by key -t 0 "$P/edge/ok-labels.pb.gz"
	[ "$status" = 0 ]
}

@test "one document for each input, or one of all" {
	[ "$(pprof2tree "$P/cpu.pb.gz" "$P/cpu-a.pb.gz" | wc -l)" = 2 ]
	[ "$(pprof2tree --merge "$P/cpu.pb.gz" "$P/cpu-a.pb.gz" | wc -l)" = 1 ]
	pprof2tree --merge "$P/cpu.pb.gz" "$P/cpu-a.pb.gz" >a
	pprof2tree "$P/cpu.pb.gz" "$P/cpu-a.pb.gz" | stackmerge | cmp - a
}

@test "a pprof of a tree of a pprof is the same tree" {
	for f in cpu heap goroutine block.delta3s; do
		pprof2tree "$P/$f.pb.gz" >one
		pprof2tree -o pprof one | pprof2tree >two
		cmp <(jq -c '[.frames, .nodes, .sample_types]' one) <(jq -c '[.frames, .nodes, .sample_types]' two)
	done
}

@test "ten thousand and one frames deep" {
	run pprof2tree -t 0 "$P/edge/ok-deep-10000.pb.gz"
	[ "$status" = 0 ]
	pprof2tree -t 0 -o folded "$P/edge/ok-deep-10000.pb.gz" | tr ';' '\n' | wc -l | grep -qx 10001
}

@test "drop_frames from strangers: what is not tame is said and not applied, at once" {
	# dropping PATTERN: main called f, which the pattern may drop.
	dropping() {
		local n=${#1}
		printf '\x0a\x04\x08\x01\x10\x02\x12\x07\x0a\x02\x02\x01\x12\x01\x05'
		printf '\x2a\x04\x08\x01\x10\x03\x2a\x04\x08\x02\x10\x04'
		printf '\x22\x06\x08\x01\x22\x02\x08\x01\x22\x06\x08\x02\x22\x02\x08\x02'
		printf '\x38\x05\x32\x00\x32\x07samples\x32\x05count\x32\x04main\x32\x01f\x32'
		printf "\\x$(printf %x $((n & 127 | 128)))\\x$(printf %x $((n >> 7 & 127 | 128)))"
		printf "\\x$(printf %x $((n >> 14)))%s" "$1"
	}
	dropping 'g|(f|h)+' >tame.pb
	[ "$(pprof2tree -o folded tame.pb)" = "main 5" ]
	deep=$(printf '%100000s' '' | tr ' ' '(')f$(printf '%100000s' '' | tr ' ' ')')
	many=$(printf '%2000s' '' | sed 's/ /f?/g')
	for p in "$deep" "$many" '((.{1,100}){1,100}){1,20}' '(.*)(.*)\2f' "$(printf '%5000s' '' | tr ' ' f)"; do
		dropping "$p" >wild.pb
		run -0 --separate-stderr timeout 10 pprof2tree -o folded wild.pb
		[ "$output" = "main;f 5" ]
		[[ $stderr == *"drop_frames or keep_frames is not understood and not applied" ]]
	done
}

@test "what a profile says often in few bytes costs little more" {
	# Five million locations without an id.
	yes '"' | tr '\n' '\0' | head -c 10000000 >empty.pb
	peak=$({ env time -f %M pprof2tree empty.pb >out; } 2>&1 | tail -n 1)
	[ "$peak" -lt 100000 ]
	run -2 --separate-stderr pprof2tree empty.pb
	[ "$stderr" = "pprof2tree: empty.pb: byte 0: a location has the reserved id 0" ]
	# A name of a megabyte, on a thousand lines.
	{
		printf '\x0a\x04\x08\x01\x10\x02\x12\x06\x0a\x01\x01\x12\x01\x05\x2a\x04\x08\x01\x10\x03'
		printf '\x22\xa2\x1f\x08\x01'
		printf '%1000s' '' | sed 's/ /\x22\x02\x08\x01/g'
		printf '\x32\x00\x32\x07samples\x32\x05count\x32\xc0\x84\x3d'
		printf '%1000000s' '' | tr ' ' f
	} >name.pb
	timeout 6 pprof2tree -o pb name.pb >name.trees
	stackmerge name.trees | jq -e '(.frames | map(.name | length)) == [1000000] and (.nodes.frame | length) == 1001'
}

@test "a location that claims a thousand inlined calls is refused" {
	# Location 1 with 1025 empty lines, field 4 of length 0 each; one sample names it.
	{
		printf '\x0a\x04\x08\x01\x10\x01\x32\x00\x32\x01a\x12\x04\x08\x01\x10\x01'
		printf '\x22\x84\x10\x08\x01'
		for _ in $(seq 1025); do printf '\x22\x00'; done
	} >many.pb
	run -2 --separate-stderr pprof2tree many.pb
	[[ $stderr == "pprof2tree: many.pb: byte "*": a location with more than 1024 lines" ]]
}
