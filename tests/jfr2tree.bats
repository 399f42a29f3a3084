#!/usr/bin/env bats
load helper

# gives OPTION ...: what jfr2tree writes, sorted, in got; all of it or what is there.
gives() {
	local status=0
	jfr2tree -q "$@" >unsorted || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$*: status $status" >&2; return 1; }
	sort unsorted >got
}

# agree RECORDING NAME KIND TYPE [OPTION]: our lines are jfrconv's, as sets.
agree() {
	gives -e "$3" -t "$4" -o folded --names jfrconv "${@:5}" "$1" || return 1
	zcat -f "$2" | sort >want
	cmp got want || { echo "$1: $2" >&2; return 1; }
}

# The options behind the names of jfrconv's outputs.
jfrconv_options() {
	cat <<'ROWS'
default
cpu --cpu
wall --wall
alloc --alloc
alloc-total --alloc --total
lock --lock
lock-total --lock --total
live --live
live-total --live --total
cputime --cpu-time
threads --threads
threads-reverse --threads --reverse
reverse -r
bci --bci
lines --lines
dot --dot
dot-norm --dot --norm
norm --norm
simple --simple
simple-norm-lines --simple --norm --lines
classify --classify
grain10 --grain 10
minwidth1 --minwidth 1
skip2 --skip 2
from2s-to4s --from 2000 --to 4000
from-last2s --from -2000
include -I '.*burnSort.*'
exclude -X .*burn.*
state-runnable --state runnable
state-sleeping -s sleeping
nativemem --nativemem
nativemem-total --nativemem --total
nativemem-leak --nativemem --leak
nativemem-leak-total-tail50 --nativemem --leak --total --tail 0.5
nativelock --nativelock
nativelock-total --nativelock --total
threads-skip1 --threads --skip 1
threads-reverse-skip1 --threads --reverse --skip 1
threads-include --threads -I '\[(cpu|pool|LoadGen).*'
threads-exclude-skip1 --threads -X '\[(cpu|pool|LoadGen).*' --skip 1
reverse-skip2 --reverse --skip 2
classify-skip1 --classify --skip 1
classify-reverse --classify --reverse
classify-include-reverse --classify -I '\[c2_comp\]' -r
classify-exclude --classify -X '\[c.*_comp\]'
threads-classify --threads --classify
threads-classify-reverse --threads --classify --reverse
threads-classify-reverse-skip1 --threads --classify --reverse --skip 1
threads-classify-reverse-skip3 --threads --classify --reverse --skip 3
threads-classify-skip1-minwidth --threads --classify --skip 1 --minwidth 0.5
threads-grain3-lines --threads --grain 3 --lines --dot
alloc-include-class --alloc -I 'byte\[\]' --reverse --skip 2
alloc-exclude-class-threads --alloc --total -X '(byte|char).*|\[main.*' -t --skip 20
alloc-grain3 --alloc --total --grain 3
alloc-grain20-threads --alloc --total --threads --grain 20
live-classify-threads-reverse --live --classify --threads --reverse --total
lock-threads-reverse --lock --total --threads --reverse
lock-threads-reverse-skip2 --lock --threads --reverse --skip 2
lock-grain2 --lock --total --grain 2
nativelock-threads-reverse-skip3 --nativelock --total --threads --reverse --skip 3
nativelock-classify-grain5 --nativelock --classify --grain 5
ROWS
}

# theirs_and_ours RECORDING OPTIONS: the converter itself has the same lines.
theirs_and_ours() {
	local - # the options are words, not patterns of files
	set -f
	rm -f theirs
	java -XX:TieredStopAtLevel=1 -jar "$SHARED/peers/jfr-converter.jar" $2 -o collapsed "$1" theirs >java.log 2>&1
	[ -e theirs ] || { cat java.log >&2; return 1; }
	jfrconv_agrees "$1" theirs "$2"
}

# jfrconv_agrees RECORDING EXPECTED OPTIONS
jfrconv_agrees() {
	gives --jfrconv "$3" "$1" || return 1
	zcat -f "$2" | sort >want
	cmp got want || { echo "$1: $3" >&2; return 1; }
}

# What jfrconv's options are here: name of its output, kind, type, more.
options() {
	cat <<'ROWS'
default exec samples
cpu cpu samples
wall wall samples
alloc alloc samples
alloc-total alloc bytes
lock lock contentions
lock-total lock nanoseconds
live live samples
live-total live bytes
cputime cputime samples
threads exec samples --under=thread
ROWS
}

# sums: of each document event, thread or nothing, and the sums of its columns.
sums() {
	jq -c '[.labels.event, [.nodes.self[] | add]]' | paste -sd' '
}

# counts: the event and the sum of its first column, of each document.
counts() {
	jq -r '"\(.labels.event) \(.nodes.self[0] | add)"' | paste -sd' '
}

@test "the lines of jfrconv, on recordings that are kept here" {
	local n=0
	while read -r name kind type more; do
		for want in "$FIX"/jfr/*."$name".gz; do
			[ -e "$want" ] || continue
			f=${want%."$name".gz}.jfr.gz
			agree "$f" "$want" "$kind" "$type" $more
			n=$((n + 1))
		done
	done < <(options)
	[ "$n" -eq 26 ]
}

@test "the lines of jfrconv, on all recordings" {
	need_shared
	local n=0
	while read -r name kind type more; do
		for want in "$SHARED"/fixtures/own/jfr/expected-jfrconv/*."$name".collapsed*; do
			f=$(basename "$want" .gz)
			f=$SHARED/fixtures/own/jfr/${f%."$name".collapsed}.jfr
			[ -e "$f" ] || f=$f.gz
			agree "$f" "$want" "$kind" "$type" $more
			n=$((n + 1))
		done
	done < <(options)
	[ "$n" -eq 46 ]
}

@test "all of jfrconv's options for text, on recordings that are kept here" {
	local n=0
	while read -r name opts; do
		for want in "$FIX"/jfr/*."$name".gz; do
			[ -e "$want" ] || continue
			jfrconv_agrees "${want%."$name".gz}.jfr.gz" "$want" "$opts"
			n=$((n + 1))
		done
	done < <(jfrconv_options)
	[ "$n" -eq "$(ls "$FIX"/jfr/*.gz | grep -vc 'jfr\.gz$')" ]
}

@test "all of jfrconv's options for text, on all recordings" {
	need_shared
	local n=0
	while read -r name opts; do
		for want in "$SHARED"/fixtures/own/jfr/expected-jfrconv/*."$name".collapsed*; do
			[ -e "$want" ] || continue
			f=$(basename "$want" .gz)
			f=$SHARED/fixtures/own/jfr/${f%."$name".collapsed}.jfr
			[ -e "$f" ] || f=$f.gz
			jfrconv_agrees "$f" "$want" "$opts"
			n=$((n + 1))
		done
	done < <(jfrconv_options)
	[ "$n" -eq "$(ls "$SHARED"/fixtures/own/jfr/expected-jfrconv | wc -l)" ]
	[ "$n" -eq 123 ]
}

@test "the converter itself, and its options together" {
	need_shared
	[ -e "$SHARED/peers/jfr-converter.jar" ] || skip "the converter is not here"
	command -v java >/dev/null || skip "java is not here"
	local n=0 dir=$SHARED/fixtures/own/jfr
	zcat "$FIX/jfr/ap-small-jfrsync.jfr.gz" >sync.jfr
	zcat "$FIX/jfr/ap-small-multi.jfr.gz" >multi.jfr
	for threads in '' --threads; do
		for classify in '' --classify; do
			for reverse in '' --reverse; do
				for skip in '' '--skip 1' '--skip 4'; do
					theirs_and_ours sync.jfr "$threads $classify $reverse $skip"
					n=$((n + 1))
				done
			done
		done
	done
	while IFS='|' read -r f opts; do
		theirs_and_ours "$f" "$opts"
		n=$((n + 1))
	done <<ROWS
multi.jfr|-I \\[cpu.* --threads --classify
multi.jfr|--alloc -I byte.* -X \\[lock.* --threads --reverse --total
multi.jfr|--live --skip 3 --reverse --threads --simple
multi.jfr|--wall --threads --grain 7 --reverse --skip 2
multi.jfr|--skip 1000
sync.jfr|--alloc --total --grain 4 --skip 1 --classify
sync.jfr|--from 1000 --to 5000 --threads --lines --skip 1 --reverse
$dir/ap-itimer-nativemem-wall.jfr|--nativemem --total --threads --reverse --skip 1
$dir/ap-itimer-nativemem-wall.jfr|--nativemem --classify --reverse --minwidth 1
$dir/ap-itimer-nativemem-wall.jfr|--nativemem --leak --total --reverse --skip 2
$dir/ap-itimer-nativemem-wall.jfr|--nativemem --leak -X .*::.* --from 500
$dir/ap-small-chunks.jfr|--threads --classify --reverse --skip 1
$dir/ap-small-chunks.jfr|--threads -X \\[C2.* --grain 3
ROWS
	[ "$n" -eq 37 ]
}

# Counts by the JDK's own tool, time by the intervals that the recording states: 10 ms
# by default, 50 ms for wall.
@test "one document for each kind, with count and measure" {
	run jfr2tree "$FIX/jfr/ap-small-multi.jfr.gz"
	[ "$status" -eq 0 ]
	[ "$(sums <<<"$output")" = '["alloc",[1929,4416607776]] ["cpu",[650,6500000000]] ["live",[12,9588944]] ["lock",[1467,8761315268]] ["wall",[5803,290150000000]]' ]
	types=$(jq -c '[.labels.event, (.sample_types[] | .type, .unit, .agg // "sum"), .period.value]' <<<"$output")
	[ "$types" = '["alloc","samples","count","sum","alloc_space","bytes","sum",null]
["cpu","samples","count","sum","cpu","nanoseconds","sum",10000000]
["live","samples","count","gauge","inuse_space","bytes","gauge",null]
["lock","contentions","count","sum","delay","nanoseconds","sum",null]
["wall","samples","count","sum","wall","nanoseconds","sum",50000000]' ]
	run --separate-stderr jfr2tree -v -o pb -O out "$FIX/jfr/ap-small-multi.jfr.gz"
	[[ $stderr == *'time of cpu is estimated: 10 ms a sample'*'time of wall is estimated: 50 ms a sample'* ]]
	run jfr2tree "$FIX/jfr/ap-small-multi.jfr.gz"
	# The head of the only chunk: its start, and 6.627379 s.
	[ "$(head -1 <<<"$output" | jq -c '[.duration_ns, .profiles]')" = '[6627379000,1]' ]
	[[ $output == *'"start_ns":1796059296264012000,"end_ns":1796059302891391000,'* ]]
}

@test "a JDK recording has no wall unless asked for; its samples have their period" {
	run jfr2tree "$FIX/jfr/jdk17-small.jfr.gz"
	# Counts by the JDK's own tool: sockets 577 + 7, files 28 + 28 + 8, locks 108 + 267.
	[ "$(counts <<<"$output")" = 'alloc 1919 cpu 150 exception 11 file 64 gc 185 live 50 lock 375 socket 584' ]
	[ "$(jq -c 'select(.labels.event == "cpu") | [.period.value, (.nodes.self[1] | add)]' <<<"$output")" = '[10000000,1500000000]' ]
	# The tool counts 1920 allocations; one has no stack.
	[ "$(jfr2tree -e alloc --stackless "$FIX/jfr/jdk17-small.jfr.gz" | jq '.nodes.self[0] | add')" -eq 1920 ]
	[ "$(jfr2tree -e alloc --stackless -t samples -o folded "$FIX/jfr/jdk17-small.jfr.gz" | grep '^\[no stack trace\]')" = '[no stack trace];java.lang.String 1' ]
	run jfr2tree -e wall "$FIX/jfr/jdk17-small.jfr.gz"
	[ "$(jq -c '.nodes.self[0] | add' <<<"$output")" = 387 ] # 150 and 237 native
	# Source stacks that were cut at the depth limit are counted.
	[ "$(jq -c .truncated <<<"$output")" -gt 0 ]
}

@test "kinds that are not there: status 3, and what there is" {
	run -3 --separate-stderr jfr2tree -e malloc "$FIX/jfr/jdk17-small.jfr.gz"
	[ -z "$output" ]
	[ "$stderr" = "jfr2tree: warning: $FIX/jfr/jdk17-small.jfr.gz: no malloc; the recording has cpu, alloc, live, lock, socket, file, exception, gc, native, wait, sleep, safepoint, exec" ]
	# What is there is given all the same.
	run -3 --separate-stderr jfr2tree -q -e malloc,cpu "$FIX/jfr/jdk17-small.jfr.gz"
	[ "$(sums <<<"$output")" = '["cpu",[150,1500000000]]' ]
	[ -z "$stderr" ]
}

@test "frames: names with dots, classes of frames and types, kinds of nodes" {
	jfr2tree -e alloc "$FIX/jfr/ap-small-multi.jfr.gz" >a.json
	[ "$(jq -c '[.frames[] | select(.name == "java.lang.Thread.run" or .name == "byte[]")] | sort_by(.name)' a.json)" = '[{"name":"byte[]","class":"type"},{"name":"java.lang.Thread.run","class":"managed"}]' ]
	[ "$(jfr2tree -e cpu "$FIX/jfr/jdk17-small.jfr.gz" | jq -c '.nodes.kind | unique')" = '["","inlined","interpreted","jit"]' ]
	jfr2tree -e cpu "$FIX/jfr/ap-small-multi.jfr.gz" >c.json
	[ "$(jq -c '[.frames[].class] | unique' c.json)" = '["cxx","kernel","managed","native"]' ]
	[ "$(jq '[.frames[].name | select(test("/"))] | length' a.json)" -eq 0 ]
}

@test "lines and modules on request, with the same sums" {
	f=$FIX/jfr/ap-small-multi.jfr.gz
	jfr2tree -e cpu -g line "$f" >l.json
	[ "$(sums <l.json)" = '["cpu",[650,6500000000]]' ]
	[ "$(jq -c '[.identity, ([.frames[] | select(.line)] | length > 100)]' l.json)" = '[["name","line"],true]' ]
	jfr2tree -e cpu -g module "$f" >m.json
	[ "$(sums <m.json)" = '["cpu",[650,6500000000]]' ]
	[ "$(jq '[.frames[].module | select(. == "libjvm.so")] | length > 10' m.json)" = true ]
	[ "$(jfr2tree -e cpu "$f" | jq '[.frames[] | select(.line or .module)] | length')" -eq 0 ]
}

@test "threads: one document each, or frames below the root" {
	f=$FIX/jfr/jdk17-small.jfr.gz
	jfr2tree -e cpu --by thread "$f" >t.json
	# By the JDK's own tool.
	[ "$(jq -r '"\(.labels.thread) \(.nodes.self[0] | add)"' t.json | paste -sd,)" = 'alloc-0 13,cpu-0 26,cpu-1 17,cpu-2 16,cpu-deep 21,file-0 1,file-1 2,lock-0 1,lock-1 3,lock-2 3,lock-3 3,main 2,pool-1-thread-1 18,pool-1-thread-2 22,thrower 2' ]
	[ "$(jfr2tree -e cpu --under thread -o folded -t samples "$f" | grep -c '^cpu-deep;')" -gt 0 ]
	[ "$(jfr2tree -e cpu --by tid "$f" | jq -r .labels.tid | head -1)" = 19118 ]
}

@test "packed, from standard input, and in parts: the same bytes" {
	f=$FIX/jfr/ap-small-multi.jfr.gz
	zcat "$f" >plain.jfr
	zcat "$f" | zstd -q >packed.jfr
	jfr2tree "$f" >want
	jfr2tree plain.jfr | cmp - want
	jfr2tree packed.jfr | cmp - want
	jfr2tree <plain.jfr | cmp - want
	cat plain.jfr | jfr2tree - | cmp - want
	FLAMEPIPE_HASH_SEED=7 jfr2tree "$f" | cmp - want
	jfr2tree -o pb "$f" | stackmerge | cmp - want
	jfr2tree -O out.json "$f"
	cmp out.json want
	# Every program reads recordings.
	stackmerge "$f" | cmp - want
	# Chunks that are decoded ahead.
	jfr2tree -j 2 "$f" | cmp - want
	zcat "$FIX"/jfr/*.jfr.gz >all.jfr
	jfr2tree -q --by thread --times all.jfr >want || [ $? -eq 3 ]
	jfr2tree -q -j 2 --by thread --times <all.jfr | cmp - want
	run --separate-stderr jfr2tree -j 2 all.jfr
	one=$stderr
	run --separate-stderr jfr2tree all.jfr
	[ "$stderr" = "$one" ] && [ "$status" = 3 ]
	run -2 --separate-stderr jfr2tree -j 0 "$f"
	[ "$stderr" = "jfr2tree: -j: '0' is no number from 1" ]
}

@test "joined recordings of two producers are their sum; several files stay apart" {
	zcat "$FIX/jfr/ap-small-multi.jfr.gz" >a.jfr
	zcat "$FIX/jfr/jdk17-small.jfr.gz" >b.jfr
	cat a.jfr b.jfr >ab.jfr
	[ "$(jfr2tree -e cpu,alloc ab.jfr | sums | sed 's/,[0-9]*\]\]/]]/g')" = '["alloc",[3848]] ["cpu",[800]]' ]
	[ "$(jfr2tree -e cpu a.jfr b.jfr | sums)" = '["cpu",[650,6500000000]] ["cpu",[150,1500000000]]' ]
	# The same nodes as by merging the trees; window and profiles differ.
	jfr2tree -e alloc ab.jfr | jq -c '[.frames, .nodes]' >one
	jfr2tree -e alloc a.jfr b.jfr | stackmerge | jq -c '[.frames, .nodes]' >two
	cmp one two
	cat a.jfr a.jfr >aa.jfr
	run --separate-stderr jfr2tree -e live -o folded -t samples aa.jfr
	[ "$stderr" = 'jfr2tree: warning: aa.jfr: byte 603533: chunk of the same start and size as one before' ]
}

@test "unfinished and cut: whole chunks stay, status 3; --strict is an error" {
	f=$FIX/jfr/ap-unfinished-lastchunk.jfr.gz
	run -3 --separate-stderr jfr2tree "$f"
	[ "$stderr" = "jfr2tree: warning: $f: byte 70751: unfinished chunk; 9841 bytes ignored" ]
	[ "$(jq '.nodes.self[0] | add' <<<"$output")" -eq "$(zcat "${f%.jfr.gz}.default.gz" | awk '{ n += $NF } END { print n }')" ]
	run -2 --separate-stderr jfr2tree --strict "$f"
	[ "$stderr" = "jfr2tree: $f: byte 70751: unfinished chunk; 9841 bytes ignored" ]
	[ -z "$output" ]
	# Cut within the second chunk, and within a gzip member.
	zcat "$f" | head -c 75000 >cut.jfr
	run -3 --separate-stderr jfr2tree cut.jfr
	[ "$stderr" = 'jfr2tree: warning: cut.jfr: byte 70751: unfinished chunk; 4249 bytes ignored' ]
	head -c 26000 "$f" >cut.jfr.gz
	run -3 --separate-stderr jfr2tree cut.jfr.gz
	[[ $stderr == 'jfr2tree: warning: cut.jfr.gz: byte '*': unfinished chunk; '*' bytes ignored' ]]
	# Nothing whole is nothing to use.
	zcat "$f" | head -c 70000 >none.jfr
	run -2 --separate-stderr jfr2tree none.jfr
	[ "$stderr" = 'jfr2tree: none.jfr: byte 0: chunk of 70751 bytes is cut short' ]
}

@test "a recording joined to one that lost its end is read whole" {
	zcat "$FIX/jfr/jdk17-small.jfr.gz" >whole.jfr
	for cut in 2000 300000 700000 1400000; do
		{ head -c $cut whole.jfr; cat whole.jfr; } >joined.jfr
		run -3 --separate-stderr jfr2tree -e cpu,lock joined.jfr
		[ "$(counts <<<"$output")" = 'cpu 150 lock 375' ]
		[ "$stderr" = "jfr2tree: warning: joined.jfr: byte 0: chunk of 1408938 bytes is cut short; $cut bytes ignored" ]
		run -2 --separate-stderr jfr2tree --strict joined.jfr
		[ "$stderr" = "jfr2tree: joined.jfr: byte 0: chunk of 1408938 bytes is cut short; $cut bytes ignored" ]
		jfr2tree -q -j 2 -e cpu,lock joined.jfr | cmp - <(jfr2tree -q -e cpu,lock joined.jfr)
	done
	run -3 jfr2tree --summary joined.jfr
	[[ $output == *'damage       byte 0: chunk of 1408938 bytes is cut short'* ]]
}

@test "a cut pack gives the same from a file and from a pipe, also read twice" {
	zcat "$FIX/jfr/ap-small-multi.jfr.gz" >one.jfr
	cat one.jfr one.jfr | gzip >two.gz
	head -c 250000 two.gz >cut.gz
	for opts in '-e cpu' '-e cpu --from +0s' '-e cpu --by path'; do
		run -3 --separate-stderr jfr2tree $opts cut.gz
		file=$output
		run -3 --separate-stderr bash -c "cat cut.gz | jfr2tree $opts -"
		[ "$output" = "$file" ]
		[ "$(counts <<<"$output")" = 'cpu 650' ]
		[[ $stderr == *'jfr2tree: warning: -: byte '* ]]
	done
	run -2 --separate-stderr bash -c 'cat cut.gz | jfr2tree --strict --from +0s -'
	[[ $stderr == 'jfr2tree: -: byte '* ]]
	run -2 --separate-stderr jfr2tree -q -e cpu -o pprof -O out one.jfr one.jfr
	[ "$stderr" = 'jfr2tree: -o pprof holds one document; merge several inputs with stackmerge' ]
	[ ! -e out ]
}

@test "what is no recording is refused by name" {
	while IFS='|' read -r bytes want; do
		printf '%b' "$bytes" >in
		run -2 --separate-stderr jfr2tree in
		[ "$stderr" = "jfr2tree: in: $want" ] || { echo "$stderr" >&2; false; }
		[ -z "$output" ]
	done <<'ROWS'
|empty input
FLR\0000|byte 0: chunk header is cut short
FLR\0000\0000\0000\0000\0011\0000\0000\0000\0000\0100\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0001\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0001\0000\0000\0000\0000\0000\0000\0000\0001\0000\0000\0000\0001|byte 0: Oracle JDK 7/8 commercial recording (v0.9) is not supported
PK\0003\0004....|byte 0: a zip file; unpack it with: unzip -p
ROWS
	run -2 --separate-stderr jfr2tree missing.jfr
	[ "$stderr" = 'jfr2tree: missing.jfr: No such file or directory' ]
	run -3 --separate-stderr jfr2tree --keep-going missing.jfr "$FIX/jfr/jdk17-small.jfr.gz"
	[ "$(counts <<<"$output")" = 'alloc 1919 cpu 150 exception 11 file 64 gc 185 live 50 lock 375 socket 584' ]
}

@test "usage errors say what is wrong" {
	while IFS='|' read -r args want; do
		run -2 --separate-stderr jfr2tree $args
		[ "$stderr" = "jfr2tree: $want" ] || { echo "$args: $stderr" >&2; false; }
	done <<'ROWS'
-e cpu,nope x|-e: no kind 'nope' (event types have dots); there are cpu, wall, alloc, live, lock, socket, file, exception, malloc, nativelock, trace, gc, native, alloc-tlab, alloc-outside, alloc-sample, old, monitor, park, wait, sleep, leak, safepoint, exec, cputime
-g foo x|-g: no granularity 'foo'; there are function, line, module, bci
--value duration x|--value goes behind the -e that names an event type
--from yesterday x|--from: no time 'yesterday'; there are 2026-11-30T14:05:09Z, 14:05, Unix time in s, ms, us or ns, now-1h, and +2s or -2s from the start or end
--min-duration long x|--min-duration: 'long' is no duration, such as 10ms
--tail 2 x|--tail: '2' is not between 0 and 1
--oap-compat -e cpu x|--oap-compat goes without -e, -g, --names, --times and --jfrconv
--oap-compat -g bci x|--oap-compat goes without -e, -g, --names, --times and --jfrconv
-g function --oap-compat x|--oap-compat goes without -e, -g, --names, --times and --jfrconv
--oap-compat --times x|--oap-compat goes without -e, -g, --names, --times and --jfrconv
--jfrconv --cpu --oap-compat x|--oap-compat goes without -e, -g, --names, --times and --jfrconv
--jfrconv --cpu --jfrconv --alloc x|--jfrconv is there twice
--from 2026-11-30T14:05:09Z --to 2026-11-30T14:05:08Z x|--from is later than --to
--from +3s --to +2s x|--from is later than --to
--from -2s --to -3s x|--from is later than --to
--oap-compat --from +3s --to +2s x|--from is later than --to
--jfrconv --cpu -o json x|--jfrconv writes folded text, no other -o
-o json --jfrconv --cpu x|--jfrconv writes folded text, no other -o
--jfrconv --cpu -e alloc x|--jfrconv goes without -e, -g, -t and --names
-e alloc --jfrconv --cpu x|--jfrconv goes without -e, -g, -t and --names
-g function --jfrconv --cpu x|--jfrconv goes without -e, -g, -t and --names
--jfrconv --cpu -g line x|--jfrconv goes without -e, -g, -t and --names
--jfrconv --cpu -t samples x|--jfrconv goes without -e, -g, -t and --names
--names ours --jfrconv --cpu x|--jfrconv goes without -e, -g, -t and --names
--jfrconv --cpu --names jfrconv x|--jfrconv goes without -e, -g, -t and --names
--jfrconv --cpu --times x|--times is not for -o folded
--jfrconv --html x|--jfrconv: '--html' is none of jfrconv's options for recordings and text
--jfrconv --tail x|--jfrconv: --tail needs an argument
--names theirs x|--names: no names 'theirs'; there are ours, jfrconv
--names jfrconv x|--names jfrconv needs -o folded
--names jfrconv -o folded -g line x|--names jfrconv goes with -g function only
ROWS
	run -2 --separate-stderr jfr2tree -o folded --names jfrconv -e cpu,alloc "$FIX/jfr/ap-small-multi.jfr.gz"
	[ "$stderr" = 'jfr2tree: --names jfrconv takes one kind; name it with -e' ]
	while IFS='|' read -r opts want; do
		run -2 --separate-stderr jfr2tree --jfrconv "$opts" x
		[ "$stderr" = "jfr2tree: --jfrconv: $want" ] || { echo "$opts: $stderr" >&2; false; }
	done <<'ROWS'
-o heatmap|-o is collapsed, not 'heatmap'
--nativemem --leak --threads|--leak goes without --threads
--nativemem --leak --grain 3|--leak goes without --grain
--nativemem --leak --latency 1ms|--leak goes without --latency
--nativemem --leak --tag x|--leak goes without --tag
--nativemem --grain 3 --total|--nativemem goes without --grain
ROWS
}

@test "a time of the clock is one of the recording, on whatever day it was" {
	f="$FIX/jfr/jdk17-small.jfr.gz"
	export TZ=UTC0
	t=$(jfr2tree --summary -o json "$f" | jq .start_ns)
	at=$(date -d "@$((t / 1000000000 + 2))" +%H:%M:%S)
	day=$(date -d "@$((t / 1000000000))" +%F)
	jfr2tree -e alloc --from "${day}T${at}" "$f" >want
	jfr2tree -e alloc --from "$at" "$f" >got
	[ -s want ]
	cmp got want
	! cmp -s got <(jfr2tree -e alloc "$f")
}

@test "what selection left out is said" {
	f=$FIX/jfr/jdk17-small.jfr.gz
	# By the JDK's own tool 150 samples, 237 in native code, 108 + 267 locks.
	while IFS='|' read -r args want; do
		run -3 --separate-stderr jfr2tree $args "$f"
		[ -z "$output" ]
		[ "${stderr_lines[-1]}" = "jfr2tree: warning: $f: $want" ] || { echo "$args: $stderr" >&2; false; }
	done <<'ROWS'
-e cpu --from +200s|no cpu that was asked for; samples were left out: 150 by time
-e lock --min-duration 100s|no lock that was asked for; samples were left out: 375 by length
-e native --state parked|no native that was asked for; samples were left out: 237 by state
-e cpu --latency 1ns|no cpu that was asked for; samples were left out: 150 by spans
ROWS
	run -3 --separate-stderr jfr2tree -e cpu --state napping "$f"
	[ "${stderr_lines[0]}" = "jfr2tree: warning: $f: no state begins with any of 'napping'" ]
	run -3 --separate-stderr jfr2tree -e cpu,malloc --from +200s "$f"
	[ "${stderr_lines[0]}" = "jfr2tree: warning: $f: no cpu that was asked for; samples were left out: 150 by time" ]
	[[ ${stderr_lines[1]} == "jfr2tree: warning: $f: no malloc; the recording has cpu, alloc, "* ]]
	# Two halves are the whole, whatever comes through a pipe.
	jfr2tree -e cpu --to +3s "$f" >a
	zcat "$f" | jfr2tree -e cpu --from +3000000001ns - >b
	[ "$(cat a b | jq -s 'map(.nodes.self[0] | add) | add')" = 150 ]
	[ "$(jq -s 'map(.duration_ns) | add' a b)" -le "$(jfr2tree -e cpu "$f" | jq .duration_ns)" ]
}

@test "samples of which labels match: threads, classes, numbers" {
	f=$FIX/jfr/jdk17-small.jfr.gz
	# By the JDK's own tool: 17 samples of cpu-1, and allocations of byte[] by their class.
	[ "$(jfr2tree -e cpu --thread '^cpu-1$' "$f" | counts)" = 'cpu 17' ]
	[ "$(jfr2tree -e cpu --tagfocus 'thread=^cpu-[12]$' "$f" | counts)" = 'cpu 33' ]
	want=$(jfr2tree -e alloc -o folded -t samples "$f" | awk '/;byte\[\] [0-9]+$/ { n += $NF } END { print n }')
	[ "$(jfr2tree -e alloc --tagfocus 'class=^byte\[\]$' "$f" | counts)" = "alloc $want" ]
	[ "$(jfr2tree -e alloc --tagfocus 'class=^byte\[\]$' --thread '^alloc-0$' --by class "$f" | jq -r .labels.class)" = 'byte[]' ]
	[ "$(jfr2tree -e file --tagfocus path=lg-file-0 --by path "$f" | jq -r .labels.path | grep -vc lg-file-0)" = 0 ]
	run -3 --separate-stderr jfr2tree -e cpu --tagfocus class=x "$f"
	[ "$stderr" = 'jfr2tree: warning: no stack matches the selection' ]
	run -2 --separate-stderr jfr2tree --tagfocus class "$f"
	[ "$stderr" = "jfr2tree: --tagfocus: 'class' is not LABEL=REGEX" ]
	run -2 --separate-stderr jfr2tree --tagfocus 'class=(' "$f"
	[[ $stderr == "jfr2tree: class '(': "* ]]
}

@test "selection and other outputs" {
	f=$FIX/jfr/ap-small-multi.jfr.gz
	jfr2tree -e cpu -o folded -t samples --focus '^LoadGen\.burnInt$' "$f" >got
	[ "$(grep -vc 'LoadGen.burnInt' got)" -eq 0 ]
	# The same lines of jfrconv, by their counts.
	[ "$(awk '{ n += $NF } END { print n }' got)" -eq "$(zcat "$FIX/jfr/ap-small-multi.cpu.gz" | grep 'LoadGen.burnInt_' | awk '{ n += $NF } END { print n }')" ]
	run -3 --separate-stderr jfr2tree -e cpu --focus nothing.is.called.so "$f"
	[ "$stderr" = 'jfr2tree: warning: no stack matches the selection' ]
	[ "$(jfr2tree -e alloc -t bytes -o folded "$f" | awk '{ n += $NF } END { printf "%.0f", n }')" = 4416607776 ]
	[ "$(jfr2tree -e lock -o top --rows 1 "$f" | head -1)" = '# event=lock, delay/nanoseconds, total 8.76 s in 6.63 s' ]
}

@test "of two ways of sampling the same one is taken" {
	need_shared
	f=$SHARED/fixtures/own/jfr/jdk25.jfr.gz
	run --separate-stderr jfr2tree -v -e cpu "$f"
	# 733 ExecutionSample and 752 CPUTimeSample with a stack saw the same time.
	[ "$(counts <<<"$output")" = 'cpu 752' ]
	[[ $stderr == *'of cpu two sorts of events saw the same; one of them is taken'* ]]
	run --separate-stderr jfr2tree -e cputime "$f"
	[ "$(counts <<<"$output")" = 'cputime 752' ]
	[ -z "$stderr" ]
	run --separate-stderr jfr2tree -e exec,jdk.ExecutionSample "$f"
	[[ $(counts <<<"$output") == 'exec '*' jdk.ExecutionSample 733' ]]
}

@test "other people's recordings are read or refused" {
	need_shared
	for f in "$SHARED"/fixtures/public/jfr/*.jfr*; do
		run --separate-stderr timeout 20 jfr2tree -o pb -O out "$f"
		case $status in
		0) [[ -z $stderr || $stderr == *'adds up'* ]] ;;
		2) [[ $stderr == *'(v0.9) is not supported' ]] ;;
		3) [[ $stderr == *warning* ]] ;;
		*) echo "$f: $status: $stderr" >&2; false ;;
		esac
	done
}

# Sums of Grafana's reader, where both mean the same: its 10 ms are the interval there.
@test "the sums of another reader" {
	need_shared
	while read -r f kind want; do
		[ "$(jfr2tree -q -e "$kind" "$SHARED/fixtures/public/jfr/grafana-jfr-parser__$f.jfr.gz" | sums)" = "[\"$kind\",$want]" ] ||
			{ echo "$f $kind" >&2; false; }
	done <<'ROWS'
FastSlow_2024_01_16_180855 alloc [6,4689568]
FastSlow_2024_01_16_180855 wall [1012,10120000000]
cortex-dev-01__kafka-0__cpu__1 cpu [613,6130000000]
cortex-dev-01__kafka-0__cpu_lock_alloc__0 alloc [766,1606418432]
dump1 cpu [2188,21880000000]
dump2 wall [14723,147230000000]
dump2 alloc [4,2097148]
new_spancontext cpu [472,4720000000]
parse_failure_repro1 cpu [1500,15000000000]
wall wall [26246,262460000000]
ROWS
}

# theirs FILE: a text of Grafana's reader as "stack count", summed and sorted: the first
# value is the count, or where there is time alone, multiples of its 10 ms. A line of 2^32
# - 1 is none; _ stands for what it cuts from names.
theirs() {
	zcat "$1" | sed -E 's/:42949[0-9]{5}(;| \[)/:0\1/g; s/\//./g; s/\$\$Lambda(\$[0-9]+[./](0x)?[0-9a-f]+|\$[0-9]+|[./](0x)?[0-9a-f]+|_)([.:])/$$Lambda_\4/g; s/(^|;)\.+/\1/g; s/GeneratedMethodAccessor([0-9]+|_)/GeneratedMethodAccessor_/g' |
		awk -v time="$2" '{ i = match($0, / \[[0-9 ]+\]$/); v = substr($0, i + 2); if (time) v = v / 10000000
			n[substr($0, 1, i - 1)] += v } END { for (k in n) print k, n[k] }' | sort
}

# Stack by stack, with lines and libraries. Its process_cpu of a wall clock recording is
# what ran; of Datadog's recording, what the JDK sampled.
@test "the stacks and counts of another reader" {
	need_shared
	local n=0 dir=$SHARED/fixtures/public/jfr f base want event args time
	for f in "$dir"/grafana-jfr-parser__*.jfr.gz; do
		base=$(basename "$f" .jfr.gz) base=${base#grafana-jfr-parser__}
		for want in "$dir/expected-grafana/$base"_[0-9]_*; do
			[ -e "$want" ] || continue
			time= args=
			case ${want##*/} in
			*alloc_in_new_tlab*) event=alloc-tlab ;;
			*alloc_outside*) event=alloc-outside ;;
			*alloc_sample*) event=jdk.ObjectAllocationSample ;;
			*live*) event=live ;;
			*malloc*) event=malloc ;;
			*_block_*) event=park ;;
			*_mutex_*) event=monitor ;;
			*_wall_*) event=wall time=1 ;;
			*zero*process_cpu*) event=jdk.ExecutionSample time=1 ;;
			*Slow*process_cpu* | *dump2*process_cpu* | wall*process_cpu*) event=wall args='--state runnable' time=1 ;;
			*process_cpu*) event=cpu time=1 ;;
			esac
			case ${want##*/} in *with_truncated*) args="$args --truncated" ;; esac
			theirs "$want" "$time" >want
			jfr2tree -q $args -e "$event" -g line,module "$f" | jq -r -f "$BATS_TEST_DIRNAME/stacks.jq" |
				awk '{ i = match($0, / [0-9]+$/); n[substr($0, 1, i - 1)] += substr($0, i + 1) } END { for (k in n) print k, n[k] }' | sort >got
			cmp got want || { echo "$f $event $args" >&2; false; }
			n=$((n + 1))
		done
	done
	[ "$n" -eq 45 ]
}

# What skywalking.md calls the stored tree: frames with line in the name, leaves without
# children. Names are those of jfrconv's --dot --norm --lines, without how they ran.
@test "--oap-compat: SkyWalking's trees" {
	local f=$FIX/jfr/ap-small-jfrsync.jfr.gz i=0
	jfr2tree -q --oap-compat "$f" >trees
	[ "$(jfr2tree -q --oap-compat -o json "$f" | jq -r .labels.event | paste -sd' ')" = 'EXECUTION_SAMPLE LOCK OBJECT_ALLOCATION_OUTSIDE_TLAB' ]
	while read -r opts; do
		i=$((i + 1))
		sed -n "${i}p" trees >tree
		perl -MJSON::PP -e '
			my $t = JSON::PP->new->max_depth(100000)->decode(join "", <STDIN>);
			my @open = ([$t, ""]);
			die unless $t->{frame} eq "all";
			while (my $o = pop @open) {
				my ($n, $path) = @$o;
				my $sum = $n->{self};
				die "a leaf with children" if exists $n->{children} && !@{$n->{children}};
				$self{$path} += $n->{self} if $n->{self};
				for my $c (@{$n->{children} || []}) {
					$sum += $c->{total};
					push @open, [$c, $path eq "" ? $c->{frame} : "$path;$c->{frame}"];
				}
				die "totals" unless $sum == $n->{total};
			}
			print "$_ $self{$_}\n" for keys %self' <tree | sort >got
		jfr2tree -q --jfrconv "$opts --dot --norm --lines" "$f" | sed 's/_\[[0-9a-z]\]//g' |
			awk '{ i = match($0, / [0-9]+$/); n[substr($0, 1, i - 1)] += substr($0, i + 1) } END { for (k in n) printf "%s %.0f\n", k, n[k] }' | sort >want
		cmp got want
	done <<'ROWS'

--lock --total
--alloc --total
ROWS
	[ "$i" = 3 ] && [ "$(wc -l <trees)" = 3 ]
	# In and outside of TLABs are two trees there; together they are all bytes.
	jfr2tree -q --oap-compat "$FIX/jfr/ap-small-multi.jfr.gz" >trees
	[ "$(sed -n 3p trees | jq .total)" = 4416607776 ]
	run jfr2tree -q --oap-compat -o json "$FIX/jfr/ap-small-multi.jfr.gz"
	[ "$(jq -r .labels.event <<<"$output" | paste -sd' ')" = 'EXECUTION_SAMPLE LOCK OBJECT_ALLOCATION_IN_NEW_TLAB PROFILER_LIVE_OBJECT' ]
}

# counted FILE: event types with counts and bytes, as the JDK's own tool has them.
counted() {
	awk '/^=====/ { on = 1; next } on && $2 > 0 { sub(/Checkpoint/, "CheckPoint"); print $1, $2, $3 }' "$1" | sort
}

@test "--summary counts events and bytes as the JDK's own tool does" {
	need_shared
	local n=0
	for want in "$SHARED"/fixtures/own/jfr/jfr-summary/*.txt; do
		f=$SHARED/fixtures/own/jfr/$(basename "$want" .txt).jfr
		[ -e "$f" ] || f=$f.gz
		jfr2tree --summary -o json "$f" >got.json
		jq -r '.events[] | "\(.type) \(.count) \(.bytes)"' got.json | sort >got
		# Of several producers, that tool takes the ids of one for those of the other.
		if [ "$(jq '.written_by | length' got.json)" = 1 ]; then
			diff <(counted "$want") got
		else
			sum='{ n += $2; b += $3 } END { print n, b }'
			diff <(counted "$want" | awk "$sum") <(awk "$sum" got)
			grep -qx 'jdk.ExecutionSample 123 1813' got
		fi
		jfr2tree --summary "$f" >got.txt
		sed '1,/ event$/d' got.txt | sed 's/\([0-9]\) \([0-9]\)/\1\2/g; s/\([0-9]\) \([0-9]\)/\1\2/g' |
			awk '{ print $NF, $1, $2 }' | sort | diff got -
		[ "$(jq '.chunks | length' got.json)" = "$(awk '/^ Chunks:/ { print $2 }' "$want")" ]
		start=$(sed -n 's/^ Start: \(.*\) (UTC)$/\1/p' "$want")
		[ "$(jq '.start_ns / 1e9 | floor' got.json)" = "$(date -u -d "$start" +%s)" ]
		n=$((n + 1))
	done
	[ "$n" -eq 7 ]
}

@test "--summary: the kinds are those that can be had" {
	for f in "$FIX"/jfr/*.jfr.gz; do
		jfr2tree -q "$f" >trees || [ $? -eq 3 ]
		jfr2tree --summary -o json "$f" >summary || [ $? -eq 3 ]
		usual='cpu wall alloc live lock socket file exception malloc nativelock trace gc'
		diff <(jq -r .labels.event trees | sort) \
			<(jq -r --arg usual "$usual" '.kinds[] | select(. as $k | $usual | split(" ") | index($k))' summary | sort)
		jfr2tree -q -e "$(jq -r '.kinds | join(",")' summary)" "$f" >trees || [ $? -eq 3 ]
		diff <(jq -r .labels.event trees | sort) <(jq -r '.kinds[]' summary | sort)
	done
}

@test "--summary: what a person asks first" {
	f=$FIX/jfr/ap-small-multi.jfr.gz
	run -0 --separate-stderr env TZ=CET-1 jfr2tree --summary "$f"
	[ -z "$stderr" ]
	[ "${lines[0]}" = "$f" ]
	for line in "  file         589 KiB from *gzip, 1 chunk of version 2.0" \
		"  written by   async-profiler 4.5" \
		"  JVM          OpenJDK 64-Bit Server VM 17*, pid *, started 2026-11-30 18:*+01:00" \
		"    program    LoadGen 6 1 4" \
		"  CPU          AMD EPYC, 2 CPUs (2 cores, 1 socket)" \
		"  period       2026-11-30 18:21:36.264+01:00 to 2026-11-30 18:21:42.891+01:00, 6.63 s" \
		"               2026-11-30T17:21:36.264Z to 2026-11-30T17:21:42.891Z" \
		"  settings     async-profiler: *event cpu, interval 10 ms (default), wall 50.0 ms*" \
		"  kinds        cpu, wall, alloc, live, lock; if named alloc-tlab, monitor, park, exec"; do
		found=
		for l in "${lines[@]}"; do
			# shellcheck disable=SC2053 # a pattern
			[[ $l != $line ]] || found=1
		done
		[ -n "$found" ] || { echo "no line: $line" >&2; false; }
	done
	run -0 jfr2tree --summary "$FIX/jfr/jdk17-small.jfr.gz"
	[[ $output == *"  written by   JDK"* ]]
	[[ $output == *"  settings     ExecutionSample: period 10 ms"* ]]
	[[ $output == *" off: "*"ObjectAllocationInNewTLAB"* ]]
	# Several files, and standard input; a line each in JSON.
	run -0 bash -c "zcat '$f' | jfr2tree --summary -o json '$f' - | jq -c '[.file, .packed, .bytes, .jvms[0].java_arguments]'"
	[ "${lines[0]}" = "[\"$f\",\"gzip\",603533,\"LoadGen 6 1 4\"]" ]
	[ "${lines[1]}" = '["-",null,603533,"LoadGen 6 1 4"]' ]
}

@test "--summary of what is damaged: status 3, where and what; --strict 2" {
	zcat "$FIX/jfr/ap-small-multi.jfr.gz" >whole
	head -c 400000 whole >cut
	run -3 --separate-stderr jfr2tree --summary cut
	[[ $output == *"  damage       byte 0: chunk of 603533 bytes is cut short; 203533 bytes ignored"* ]]
	[[ $output == *"  kinds        none"* ]]
	run -3 jfr2tree --summary -o json cut
	[ "$(jq -c '[.damage.places, .damage.bytes, .damage.at, .chunks[0].state]' <<<"$output")" = '[1,203533,0,"cut"]' ]
	run -2 --separate-stderr jfr2tree --summary --strict cut
	[[ $output == *"  damage  "* ]]
	run -3 jfr2tree --summary "$FIX/jfr/ap-unfinished-lastchunk.jfr.gz"
	[[ $output == *"  damage       byte 70751: unfinished chunk; 9841 bytes ignored"* ]]
	# What is no recording, alone and beside others.
	echo 'a;b 1' >folded
	run -2 --separate-stderr jfr2tree --summary folded
	[ "$stderr" = 'jfr2tree: folded: byte 0: not a JFR file' ]
	run -3 --separate-stderr jfr2tree --summary --keep-going folded whole
	[ "$stderr" = 'jfr2tree: folded: byte 0: not a JFR file' ]
	[[ $output == whole* ]]
	run -2 --separate-stderr jfr2tree --summary --keep-going folded nowhere
	[[ $stderr == *"no input could be used" ]]
	run -2 --separate-stderr jfr2tree --summary -o folded whole
	[ "$stderr" = 'jfr2tree: --summary is text, or -o json' ]
	jfr2tree --summary -O out whole
	[ "$(head -1 out)" = whole ]
}

@test "--summary of a large recording is a matter of a moment" {
	need_shared
	zcat "$SHARED/fixtures/own/jfr/jdk17-profile.jfr.gz" >one
	for _ in 1 2 3 4 5 6 7 8 9; do cat one; done >big
	[ "$(stat -c %s big)" -gt 160000000 ]
	run -0 timeout 20 jfr2tree --summary big
	[[ $output == *", 18 chunks of version 2.1, of "* ]]
	[[ $output == *"; chunks overlap for "* ]]
}
