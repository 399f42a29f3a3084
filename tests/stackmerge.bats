#!/usr/bin/env bats
load helper

@test "folded text becomes a tree, by the arithmetic of the manual" {
	run --separate-stderr stackmerge <<<$'main 1\nmain;emit 2\nmain;parse 3'
	[ "$output" = '{"tree":1,"sample_types":[{"type":"samples","unit":"count"}],"profiles":1,"frames":[{"name":"main"},{"name":"emit"},{"name":"parse"}],"nodes":{"parent":[-1,0,1,1],"frame":[0,0,1,2],"self":[[0,1,2,3]]}}' ]
	[ -z "$stderr" ]
}

# Rows: the line, what is read of it as folded text ("-" where it is rejected).
@test "the folded dialects, line by line" {
	while IFS='|' read -r line want; do
		printf '%b' "$line" >in
		if [ "$want" = - ]; then
			run -2 --separate-stderr stackmerge -i folded -o folded in
			[[ $stderr == *'in: line 1: expected "stack count"' ]]
			continue
		fi
		run --separate-stderr stackmerge -q -i folded -o folded in
		[ "$output" = "$(printf '%b' "$want")" ] || { echo "$line: $output" >&2; false; }
	done <<'ROWS'
a;b c 10\n|a;b c 10
a;line 42 10\n|a;line 42 10
a;b 10 20 30\n|a;b 10 20 30
a;b 10\r\n|a;b 10
a;b\t10\n|a;b 10
a;b 10   \n|a;b 10
# c 5\na 1\n|a 1
#x 5\na 1\n|a 1
a;b -5\n|a;b -5
a;b 6.\n|a;b 6
a;b 1e3\n|a;b 1000
a;b 10|a;b 10
;a;b 1\n|;a;b 1
a;b; 1\n|a;b; 1
 5\n| 5
a;f_[k] 2\n|a;f_[k] 2
foo 5\nfoo(int);x 3\nfoo;y 2\n|foo 5\nfoo;y 2\nfoo(int);x 3
a 9223372036854775807\n|a 9223372036854775807
a 9223372036854775808\n|-
a -9223372036854775808\n|a -9223372036854775808
a -9223372036854775809\n|-
a;b\n|-
a;b .\n|-
a;b 1e\n|-
a;b 0x10\n|-
5\n|-
ROWS
}

@test "fractions are rounded half to even and said once; --scale keeps them" {
	printf 'a 0.5\nb 1.5\nc 2.5\nd 31.23\n' >in
	run --separate-stderr stackmerge -o folded in
	[ "$output" = $'b 2\nc 2\nd 31' ]
	[ "$stderr" = 'stackmerge: warning: in: 4 counts with fractions were rounded (--scale)' ]
	run --separate-stderr stackmerge --scale 1000 --type time/microseconds -o folded in
	[ "$output" = $'a 500\nb 1500\nc 2500\nd 31230' ]
	[ -z "$stderr" ]
}

@test "annotations are kinds, and part of the name only on request" {
	printf 'a;b_[j] 1\na;b_[0] 2\na;b 4\na;k_[k] 8\na;w_[w] 16\n' >in
	# jit wins over interpreted and none; _[k] is a class; _[w] means nothing here.
	run stackmerge -o folded --annotate in
	[ "$output" = $'a;b_[j] 7\na;k_[k] 8\na;w_[w] 16' ]
	run stackmerge -o folded in
	[ "$output" = $'a;b 7\na;k_[k] 8\na;w_[w] 16' ]
}

@test "rejected lines are counted, named and make it status 3, with --strict 2" {
	printf 'a 1\nnonsense\nb 2\nmore nonsense\n' >in
	run -3 --separate-stderr stackmerge -o folded in
	[ "$output" = $'a 1\nb 2' ]
	[ "$stderr" = 'stackmerge: warning: in: 2 of 4 lines are not "stack count", first line 2' ]
	run -2 --separate-stderr stackmerge --strict -o folded in
	[ "$stderr" = 'stackmerge: warning: in: 2 of 4 lines are not "stack count", first line 2
stackmerge: in: not all of it could be used (--strict)' ]
	[ -z "$output" ]
	run -3 --separate-stderr stackmerge -q in
	[ -z "$stderr" ]
}

@test "bytes that are not UTF-8 become U+FFFD, control characters stay" {
	printf 'a\xff\xfe;b\x01 1\n' >in
	run --separate-stderr stackmerge in
	[[ $output == *'"name":"a��"'*'"name":"b\u0001"'* ]]
	[ "$stderr" = 'stackmerge: warning: in: 1 lines were not UTF-8' ]
}

@test "escapes make folded text lossless" {
	printf 'a\\;b;c\\\\ 1\n' >in
	stackmerge --unescape in >tree
	[[ $(cat tree) == *'"name":"a;b"'*'"name":"c\\"'* ]]
	stackmerge -o folded --escape tree | cmp - in
	run stackmerge -o folded tree
	[ "$output" = 'a:b;c\ 1' ]
}

@test "inputs of every form are recognised by content" {
	printf 'x;y 3\n' >c.folded
	stackmerge c.folded >a.ndjson
	stackmerge -o pb c.folded >b.pb
	stackmerge -o pprof c.folded >d.pb.gz
	gzip -k c.folded
	zstd -q c.folded
	cat c.folded.gz c.folded.gz >twice.gz
	run stackmerge -o folded a.ndjson b.pb c.folded c.folded.gz c.folded.zst d.pb.gz twice.gz - <c.folded
	# twice.gz counts double
	[ "$output" = "x;y 27" ]
	run stackmerge -i folded -o folded - <c.folded
	[ "$output" = "x;y 3" ]
}

@test "groups: by event and sample types, and by labels" {
	printf 'f 1\n' >f
	stackmerge --event cpu --label service=a f >a
	stackmerge --event cpu --label service=b f >b
	stackmerge --event wall --label service=a f >c
	run stackmerge a b c a
	[ "${#lines[@]}" = 2 ]
	[[ ${lines[0]} == *'"labels":{"event":"cpu"}'*'"self":[[0,3]]'* ]]
	[[ ${lines[1]} == *'"labels":{"event":"wall","service":"a"}'* ]]
	run stackmerge --by service a b c a
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[0]} == *'"service":"a"'*'"profiles":2'*'"self":[[0,2]]'* ]]
	[[ ${lines[1]} == *'"service":"b"'* ]]
	run stackmerge --under service -o folded a b
	[ "$output" = $'a;f 1\nb;f 1' ]
	run --separate-stderr stackmerge --under pod -o folded a
	[ "$output" = '(no pod);f 1' ]
	[ "$stderr" = 'stackmerge: warning: --under pod: no document and no sample has this label; there are event, service' ]
	run --separate-stderr stackmerge --by srvice a b
	[ "$stderr" = 'stackmerge: warning: --by srvice: no document and no sample has this label; there are event, service' ]
	run -2 --separate-stderr stackmerge --max-groups 1 --by service a b
	[[ $stderr == *"more than 1 groups by label 'service' (--max-groups)" ]]
}

@test "--label sets and replaces" {
	run bash -c "printf 'f 1\n' | stackmerge --label instance=a -i folded - | stackmerge --label instance=b --label z=1"
	[[ $output == *'"labels":{"instance":"b","z":"1"}'* ]]
	run -2 --separate-stderr stackmerge --label nothing /dev/null
	[ "${stderr_lines[0]}" = "stackmerge: --label: 'nothing' is not KEY=VALUE" ]
}

@test "selection: focus, ignore, hide, show; nothing matched is status 3" {
	printf 'a;b;c 1\na;d 2\na;b;d 4\n' >in
	while IFS='|' read -r options want; do
		# shellcheck disable=SC2086 # options are words
		run stackmerge $options -o folded in
		[ "$output" = "$(printf '%b' "$want")" ]
	done <<'ROWS'
--focus b|a;b;c 1\na;b;d 4
--ignore c|a;b;d 4\na;d 2
--focus b --ignore c|a;b;d 4
--hide b|a;c 1\na;d 6
--show [bd]|b 1\nb;d 4\nd 2
--focus ^d$|a;b;d 4\na;d 2
ROWS
	run -3 --separate-stderr stackmerge --focus zzz -o folded in
	[ -z "$output" ]
	[ "$stderr" = 'stackmerge: warning: no stack matches the selection' ]
	run -2 --separate-stderr stackmerge --focus '(' in
	[[ $stderr == "stackmerge: --focus '(': "* ]]
}

@test "-t picks a sample type by every spelling, and refuses politely" {
	t=$FIX/tree/off-cpu.json
	for name in off_cpu off_cpu/nanoseconds /nanoseconds nanoseconds 1; do
		run stackmerge -t "$name" -o top --rows 1 "$t"
		[[ ${lines[0]} == *"off_cpu/nanoseconds, total 3.68 s in 5.00 s" ]]
	done
	run -2 --separate-stderr stackmerge -t cpu "$t"
	[ "$stderr" = "stackmerge: no sample type 'cpu'; there are switches/count, off_cpu/nanoseconds" ]
	# On a stream -t keeps the one column and the nodes that have it.
	run stackmerge -t switches "$t"
	[[ $output == *'"self":[[0,0,0,0,120,0,0,30]]'* ]]
}

@test "-o folded and pprof hold one document and say what there is" {
	for o in folded pprof; do
		run -2 --separate-stderr stackmerge -o $o "$FIX/tree/jfr-six-kinds.json"
		[ "$stderr" = "stackmerge: -o $o holds one document, there are 6 (alloc, cpu, exception, live, lock, wall); choose with -e, -t or a label" ]
	done
}

@test "top: self and total, recursion counted once, names that steer terminals tamed" {
	printf 'a;b;a 2\na;b 1\nx\033[31m 1\n' >in
	run stackmerge -o top --cumulative in
	[ "$output" = "$(printf '%s\n' \
		'# samples/count, total 4' \
		'        self        %        total        %  function' \
		'           2   50.0 %            3   75.0 %  a' \
		'           1   25.0 %            3   75.0 %  b' \
		'           1   25.0 %            1   25.0 %  x?[31m')" ]
}

@test "nested and d3: the shapes of their readers" {
	printf 'a;b 1\na 2\n' >in
	run stackmerge -o nested in
	[ "$output" = '{"signature":"root","total":3,"self":0,"children":[{"signature":"a","total":3,"self":2,"children":[{"signature":"b","total":1,"self":1,"children":[]}]}]}' ]
	run stackmerge -o d3 in
	[ "$output" = '{"name":"all","value":3,"children":[{"name":"a","value":3,"children":[{"name":"b","value":1,"children":[]}]}]}' ]
}

@test "sums that overflow are errors, never a wrap" {
	printf 'a 9223372036854775807\na 1\n' >in
	run -2 --separate-stderr stackmerge in
	[[ $stderr == *"overflows 64 bits" ]]
	printf 'a 9223372036854775807\nb 1\n' >in
	stackmerge in >t
	run -2 --separate-stderr stackmerge -o nested t
	[[ $stderr == *"overflows 64 bits" ]]
}

@test "the order of inputs and lines never matters" {
	awk 'BEGIN { srand(7); for (i = 0; i < 3000; i++) { s = "r"; n = 1 + int(rand() * 20); for (k = 0; k < n; k++) s = s ";f" int(rand() * 9); print s, 1 + int(rand() * 5) } }' >in
	stackmerge in >want
	sort -R in >mixed
	stackmerge mixed | cmp - want
	split -l 500 mixed part.
	stackmerge part.* | sed 's/"profiles":6/"profiles":1/' | cmp - want
	for p in part.*; do stackmerge -o pb "$p" >"$p.pb"; done
	stackmerge part.aa.pb part.ab.pb | stackmerge - part.a[c-f].pb | sed 's/"profiles":6/"profiles":1/' | cmp - want
	FLAMEPIPE_HASH_SEED=12345 stackmerge in | cmp - want
	FLAMEPIPE_HASH_SEED=99 LC_ALL=tr_TR.UTF-8 stackmerge in | cmp - want
	# And it is what awk says.
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); c[$0] += n } END { for (s in c) print s, c[s] }' in | sort >awk.out
	stackmerge -o folded in | sort | cmp - awk.out
}

@test "a broken input among many: --keep-going names it, takes nothing of it, status 3" {
	printf 'a 1\n' >good
	printf 'a 1\nb 9223372036854775807\nb 9223372036854775807\n' >bad
	run -2 --separate-stderr stackmerge good bad good
	run -3 --separate-stderr stackmerge --keep-going -o folded good bad nowhere good
	[ "$output" = "a 2" ]
	[[ ${stderr_lines[0]} == "stackmerge: bad: "*"overflows 64 bits" ]]
	[ "${stderr_lines[1]}" = "stackmerge: nowhere: No such file or directory" ]
}

@test "not a profile: the message says what it is" {
	printf '<html>404</html>\n' >page
	run -2 --separate-stderr stackmerge page
	[ "$stderr" = "stackmerge: page: byte 0: not a profile (a page, perhaps of an error); it begins: <html>404</html>" ]
	: >empty
	run -2 --separate-stderr stackmerge empty
	[ "$stderr" = "stackmerge: empty: empty input" ]
	run -2 --separate-stderr stackmerge .
	[ "$stderr" = "stackmerge: .: is a directory" ]
	# Text in which few lines happen to fit is no folded text, unless said so.
	printf 'goroutine profile: total 4\n2 @ 0x1 0x2\n#\t0x1\tmain.f\n' >debug
	run -2 --separate-stderr stackmerge debug
	[[ $stderr == "stackmerge: debug: byte 0: not a profile (pprof's debug text; fetch the profile without debug=); "* ]]
	run -3 stackmerge -q -i folded debug
	printf 'a 1\n' | gzip | zstd >x.gz.zst
	run -2 --separate-stderr stackmerge x.gz.zst
	[ "$stderr" = "stackmerge: x.gz.zst: gzip within zstd: unpack it once" ]
	printf '\x04\x22\x4d\x18....' >x.lz4
	run -2 --separate-stderr stackmerge x.lz4
	[[ $stderr == *"packed with lz4; unpack it with: lz4 -dc" ]]
	printf 'a 1\n' | gzip | head -c 15 >cut.gz
	run -2 --separate-stderr stackmerge cut.gz
	[[ $stderr == *"gzip: the data end too early" ]]
}

@test "memory follows the distinct stacks, not the documents" {
	awk 'BEGIN { for (i = 0; i < 2000; i++) { s = "r"; for (k = 0; k < 20; k++) s = s ";f" (i * 7 + k * k * (i % 13)) % 97; print s, 1 } }' >one
	stackmerge -o pb one >one.pb
	for n in 100 10000; do
		yes one.pb | head -n $n | xargs cat >many.$n
		# A sanitizer holds back what is freed; it shall not hold more than this.
		peak=$({ ASAN_OPTIONS=quarantine_size_mb=8 env time -f %M stackmerge -o pb many.$n >/dev/null; } 2>&1)
		eval "peak_$n=$peak"
	done
	echo "100: $peak_100 kB, 10000: $peak_10000 kB" >&2
	[ $((peak_10000 * 10)) -le $((peak_100 * 12)) ]
}

@test "--keep-going changes nothing when every input is good" {
	# g INSTANCE END VALUE: what is in use of one instance at one time.
	g() {
		printf '{"tree":1,"sample_types":[{"type":"inuse_space","unit":"bytes","agg":"gauge"}],"labels":{"instance":"%s","service":"s"},"end_ns":%d,"frames":[{"name":"f"}],"nodes":{"parent":[-1,0],"frame":[0,0],"self":[[0,%d]]}}\n' "$@"
	}
	{ g 1 100 5; g 2 100 7; } >a
	{ g 3 100 11; g 1 200 6; } >b
	[ "$(stackmerge a b | jq -c .nodes.self)" = '[[0,24]]' ]
	for opts in '' '--under service' '--by instance' '--by instance --under service' \
		'--by service --label zone=z' '--focus f --under instance'; do
		# shellcheck disable=SC2086 # options
		stackmerge $opts a b >want
		# shellcheck disable=SC2086
		stackmerge --keep-going $opts a b | cmp - want
		# shellcheck disable=SC2086
		cat a b | stackmerge --keep-going $opts | cmp - want
	done
	run -2 --separate-stderr stackmerge --keep-going --by instance --max-groups 1 b
	[[ $stderr == *"more than 1 groups"* ]]
	# Of what does not merge nothing is half taken.
	stackmerge a b >final
	run -2 --separate-stderr stackmerge --keep-going final b
	[[ $stderr == *"is final"* ]]
}

@test "-e writes the documents of some events alone" {
	run stackmerge -e cpu,wall "$FIX/tree/jfr-six-kinds.json"
	[ "${#lines[@]}" = 2 ]
	run stackmerge -e live -o folded "$FIX/tree/jfr-six-kinds.json"
	[ "$output" = "java.lang.Thread.run;shop.Cart.add;shop.Item 72" ]
	run -3 --separate-stderr stackmerge -e nothing "$FIX/tree/jfr-six-kinds.json"
	[ "$stderr" = "stackmerge: warning: no document of nothing" ]
	[ -z "$output" ]
}

@test "-t leaves out the documents without that type, if others have it" {
	run --separate-stderr stackmerge -t wall -o folded "$FIX/tree/jfr-six-kinds.json"
	[ "${lines[0]}" = "java.lang.Thread.run;epoll_wait 9000000000" ]
	[ "$stderr" = "stackmerge: warning: 5 of 6 documents have no sample type 'wall'" ]
	run -2 --separate-stderr stackmerge -t nowhere "$FIX/tree/jfr-six-kinds.json"
	[ -z "$output" ]
}

@test "gauges of nobody in particular: the last counts, and that is said" {
	sed 's/"instance":"web-1",//' "$FIX/tree/go-heap.json" >a
	sed 's/"end_ns":1700000000000000000/"end_ns":1700000060000000000/; s/,419430,/,100,/' a >b
	run --separate-stderr stackmerge -t inuse_space -o folded a b
	[ "${lines[1]}" = "main.main;main.load;bytes.growSlice 100" ]
	[[ $stderr == "stackmerge: warning: 2 documents hold gauges and no label instance: of these the last alone counts"* ]]
}

@test "--strict turns every 3 into 2; nothing usable is 2 and leaves the old file" {
	printf 'a 1\n' >in
	run -2 stackmerge --strict --focus nothing in
	run -2 stackmerge --strict -e nothing in
	echo precious >out
	run -2 --separate-stderr stackmerge --keep-going -O out nowhere elsewhere
	[ "${stderr_lines[2]}" = "stackmerge: no input could be used" ]
	[ "$(cat out)" = precious ]
}

@test "frames that lines tell apart show them" {
	run pprof2tree -g line -t samples -o top "$FIX/pprof/cpu.pb.gz"
	[[ $output == *"crypto/sha256.block /usr/lib/go-1.19/src/crypto/sha256/sha256block_amd64.s:"* ]]
	pprof2tree -g line -t samples -o folded "$FIX/pprof/cpu.pb.gz" | sed 's/ [0-9]*$//' | sort | uniq -d | wc -l | grep -qx 0
}
