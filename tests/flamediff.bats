#!/usr/bin/env bats
load helper

D=$FIX/flamediff

# The rows of one table of a report, one a line: base|target|change|relative|function.
# Columns are cut where the head says, for numbers are grouped with blanks.
table() {
	awk -v want="$1" '
		/^# [0-9]+ functions? changed/ { on = $0 ~ want; next }
		/^ +base / || /^#/ || /^$/ { next }
		on {
			line = ""
			split("1 13 13 13 11", w, " ")
			at = 1
			for (i = 2; i <= 5; i++) {
				cell = substr($0, at, w[i])
				at += w[i]
				gsub(/ /, "", cell)
				line = line cell "|"
			}
			print line substr($0, at + 2)
		}'
}

# Self and total of each function of folded text, both sides, without the program:
# function, base, target where they differ. A function counts once a line.
by_awk() {
	local what=$1
	awk -v what="$what" '
		FNR == 1 { side = FILENAME ~ /base/ ? 0 : 1 }
		{
			n = split(substr($0, 1, length($0) - length($NF) - 1), f, ";")
			delete seen
			for (i = 1; i <= n; i++) {
				sub(/_\[.\]$/, "", f[i])
				if ((what == "self" && i < n) || (f[i] in seen)) continue
				seen[f[i]]
				sum[f[i], side] += $NF
				names[f[i]]
			}
		}
		END {
			for (g in names)
				if (sum[g, 0] != sum[g, 1])
					printf "%d|%d|%+d|%s\n", sum[g, 0], sum[g, 1], sum[g, 1] - sum[g, 0], g
		}' "$D"/base[123].folded "$D"/reg[123].folded | sort
}

sides() {
	echo --base "$D/base1.folded" --base "$D/base2.folded" --base "$D/base3.folded" \
		--target "$D/reg1.folded" --target "$D/reg2.folded" --target "$D/reg3.folded"
}

@test "two sides, by hand" {
	echo 'main;foo 1' >base
	printf 'main;foo 2\nmain;foo;bar 4\n' >target
	run -0 --separate-stderr flamediff base target
	[ "$output" = '{"tree":1,"sample_types":[{"type":"samples","unit":"count"},{"type":"samples","unit":"count"}],"sides":[{"name":"base","profiles":1},{"name":"target","profiles":1}],"norm":"none","scale":[1],"frames":[{"name":"main"},{"name":"foo"},{"name":"bar"}],"nodes":{"parent":[-1,0,1,2],"frame":[0,0,1,2],"self":[[0,0,1,0],[0,0,2,4]]}}' ]
	[ -z "$stderr" ]
	flamediff --text base target >report
	[ "$(table self <report)" = $'0|4|+4|new|bar\n1|2|+1|+100%|foo' ]
	[ "$(table total <report)" = $'1|6|+5|+500.0%|foo\n1|6|+5|+500.0%|main\n0|4|+4|new|bar' ]
	flamediff --text target base >report
	[ "$(table self <report)" = $'4|0|-4|gone|bar\n2|1|-1|-50.0%|foo' ]
	[ "$(table total <report)" = $'6|1|-5|-83.3%|foo\n6|1|-5|-83.3%|main\n4|0|-4|gone|bar' ]
}

@test "share: target is scaled to the total of base, values stay raw" {
	printf 'a 10\nb 30\n' >base
	printf 'a 40\nb 40\n' >target
	run -0 flamediff --norm share base target
	[[ $output == *'"norm":"share","scale":[0.5]'*'"self":[[0,10,30],[0,40,40]]'* ]]
	flamediff --text --norm share base target >report
	grep -qx '# samples/count, norm share: target times 0.5' report
	grep -qxE '# base +40 +- +1' report
	grep -qxE '# target +80 +- +1' report
	# Both change by 10 of 40: the tie goes by name.
	[ "$(table self <report)" = $'10|20|+10|+100%|a\n30|20|-10|-33.3%|b' ]
	# 3 of 10 against 4 of 10 thirds: the fraction shows.
	printf 'a 1\nb 2\n' >target
	flamediff --text --norm share base target >report
	[ "$(table self <report)" = $'10|13.3|+3.3|+33.3%|a\n30|26.7|-3.3|-11.1%|b' ]
}

@test "groups of runs: every function's change is what awk makes of the text" {
	# shellcheck disable=SC2046 # words
	flamediff --text --rows 0 $(sides) >report
	for what in self total; do
		diff <(table "$what" <report | awk -F'|' -v OFS='|' '{ print $1, $2, $3, $5 }' | sort) <(by_awk "$what")
	done
	[ "$(by_awk total | wc -l)" = 45 ]
	# Rows go by size of change.
	table total <report | awk -F'|' '{ c = $3 < 0 ? -$3 : $3 + 0; if (NR > 1 && c > last) exit 1; last = c }'
}

@test "a group is the merge of its files, in any order" {
	stackmerge -o pb "$D"/base[123].folded >base
	stackmerge "$D"/reg3.folded "$D"/reg1.folded "$D"/reg2.folded >target
	# shellcheck disable=SC2046 # words
	flamediff $(sides) >one
	flamediff base target | cmp - one
	flamediff --target target base | cmp - one
	flamediff --base base target | cmp - one
	flamediff --base base --target - <target | cmp - one
	flamediff --base "$D/base2.folded" --base "$D/base3.folded" --base "$D/base1.folded" target | cmp - one
	flamediff --target "$D/reg1.folded" --target "$D/reg2.folded" --target "$D/reg3.folded" "$D"/base[321].folded | cmp - one
}

@test "the manual's report is what the program writes" {
	cd "$D"
	flamediff --text --norm share --rows 2 --base base1.folded --base base2.folded --base base3.folded reg[123].folded >"$BATS_TEST_TMPDIR/got"
	sed -n '/^# samples\/count, norm share/,/^\.Ed/p' "$PROJECT/man/flamediff.1" | sed '$d' | diff - "$BATS_TEST_TMPDIR/got"
}

@test "no difference: the text says so, --exit-code is 0" {
	run -0 --separate-stderr flamediff --exit-code "$D/base1.folded" "$D/base1.folded"
	[[ $output == *'"scale":[1]'* ]]
	for norm in none share; do
		run -0 flamediff --text --exit-code --norm "$norm" "$D/base1.folded" "$D/base1.folded"
		[ "${lines[-1]}" = "no difference" ]
		[ "${#lines[@]}" = 5 ]
	done
	# Twice as much of all is nothing in shares.
	awk '{ $NF *= 3; print }' "$D/base1.folded" >thrice
	run -0 flamediff --text --exit-code --norm share "$D/base1.folded" thrice
	[ "${lines[-1]}" = "no difference" ]
	run -1 flamediff --exit-code "$D/base1.folded" thrice
	run -0 flamediff "$D/base1.folded" thrice
	# Nodes without a value, labels and kinds make no difference.
	printf 'a;b_[j] 1\na;c 0\n' >x
	printf 'a;b_[i] 1\n' >y
	stackmerge --label run=1 x >x.tree
	run -0 flamediff --exit-code x.tree y
}

@test "call paths can change where no function does" {
	printf 'a;b;c 1\nb;a;c 2\n' >x
	printf 'a;b;c 2\nb;a;c 1\n' >y
	run -1 flamediff --text --exit-code x y
	[ "${lines[-1]}" = "no function changed, but call paths did" ]
}

@test "another sample type can differ" {
	echo '{"tree":1,"sample_types":[{"type":"samples","unit":"count"},{"type":"cpu","unit":"nanoseconds"}],"frames":[{"name":"a"}],"nodes":{"parent":[-1,0],"frame":[0,0],"self":[[0,1],[0,5]]}}' >x
	sed 's/\[0,1\],\[0,5\]/[0,2],[0,5]/' x >y
	run -1 flamediff --text --exit-code x y
	[ "${lines[-1]}" = "no difference in this sample type, but in samples/count (-t)" ]
	run -0 flamediff --text --exit-code -t cpu x y
	[ "${lines[-1]}" = "no difference" ]
	run -1 flamediff --exit-code -t samples/count x y
	[[ $output == *'"sample_types":[{"type":"samples","unit":"count"},{"type":"samples","unit":"count"}],'*'"self":[[0,1],[0,2]]'* ]]
}

@test "numbers below zero, totals of zero, and what has no relative change" {
	printf 'a -4\nb 4\nc;d 5\n' >x
	printf 'a 4\nb -4\nc 7\nc;d 0\n' >y
	flamediff --text x y >report
	# c had no own value, but was there; d is gone.
	[ "$(table self <report)" = $'-4|4|+8|+200.0%|a\n4|-4|-8|-200.0%|b\n0|7|+7|-|c\n5|0|-5|gone|d' ]
	printf 'a 0\n' >zero
	flamediff --norm share zero x | grep -qF '"scale":[1]'
	flamediff --norm share x zero | grep -qF '"scale":[1]'
	printf 'a 1\n' >one
	printf 'a 1000000\n' >many
	flamediff --text one many >report
	[ "$(table self <report)" = '1|1000000|+999999|>9999%|a' ]
	printf 'a 9223372036854775807\n' >most
	run -0 flamediff most most
	printf 'a 9223372036854775807\nb 1\n' >over
	run -0 flamediff over over
	run -2 --separate-stderr flamediff --text over over
	[[ $stderr == *"overflows 64 bits"* ]]
}

@test "recursion counts once in totals" {
	printf 'f;f;f 3\nf;g;f 1\n' >x
	printf 'f;f;f 5\nf;g;f 2\n' >y
	[ "$(flamediff --text x y | table total)" = $'4|7|+3|+75.0%|f\n1|2|+1|+100%|g' ]
}

@test "a stack of 3000 frames" {
	awk 'BEGIN { for (i = 1; i < 3000; i++) printf "f;"; print "f 1" }' >x
	sed 's/ 1$/;g 1/' x >y
	run -0 flamediff -o pb -O out x y
	[ "$(stackmerge out | grep -oE '"self":\[\[.*' | tr -dc 1)" = 11 ]
	[ "$(flamediff --text x y | table self)" = $'1|0|-1|-100%|f\n0|1|+1|new|g' ]
}

@test "names are folded unless --no-canon" {
	printf 'A$$Lambda$14/123.run;f.isra.0 1\nA$$Lambda$15/9.run;f 2\n' >x
	printf 'A$$Lambda$3/77.run;f.constprop.1 3\n' >y
	run -0 flamediff --exit-code x y
	[[ $output == *'"frames":[{"name":"A$$Lambda.run"},{"name":"f"}]'*'"self":[[0,0,3],[0,0,3]]'* ]]
	run -1 flamediff --exit-code --no-canon x y
	[[ $output == *'"name":"f.isra.0"'* ]]
}

@test "sides say their labels, windows and number of profiles" {
	printf 'a 1\n' | stackmerge --event cpu --label service=shop --label version=1 |
		sed 's/"profiles":1/"start_ns":100,"end_ns":200,"duration_ns":3000000000,"profiles":4/' >x
	printf 'a 2\n' | stackmerge --event cpu --label service=shop --label version=2 --label host=h >y
	run -0 flamediff x y
	[[ $output == *'"labels":{"event":"cpu","service":"shop"},"sides":[{"name":"base","labels":{"event":"cpu","service":"shop","version":"1"},"start_ns":100,"end_ns":200,"duration_ns":3000000000,"profiles":4},{"name":"target","labels":{"event":"cpu","host":"h","service":"shop","version":"2"},"profiles":1}]'* ]]
	run -0 flamediff --text x y
	[ "${lines[0]}" = "# event=cpu service=shop, samples/count, norm none" ]
	[[ ${lines[2]} =~ ^#\ base\ +1\ +3.00\ s\ +4\ version=1$ ]]
	[[ ${lines[3]} =~ ^#\ target\ +2\ +-\ +1\ host=h\ version=2$ ]]
}

@test "documents pair by event; one that stands alone is named, status 3" {
	printf 'a 1\n' | stackmerge --event cpu >cpu
	printf 'a 1\n' | stackmerge --event alloc --type alloc_space/bytes >alloc
	printf 'a 2\n' | stackmerge --event wall >wall
	cat cpu alloc >x
	cat wall alloc cpu >y
	run -3 --separate-stderr flamediff x y
	[ "$stderr" = "flamediff: warning: only target has wall" ]
	[ "$(grep -c '"sides"' <<<"$output")" = 2 ]
	[[ ${lines[0]} == *'"event":"alloc"'* ]]
	[[ ${lines[1]} == *'"event":"cpu"'* ]]
	run -3 --separate-stderr flamediff -q x y
	[ -z "$stderr" ]
	run -2 --separate-stderr flamediff --strict x y
	[ -z "$output" ]
	# A difference is certain whatever was left out.
	run -1 flamediff --exit-code x <(sed 's/\[0,1\]/[0,2]/' y)
	run -3 flamediff --exit-code x y
	# Nothing in common.
	run -3 --separate-stderr flamediff cpu wall
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" = 2 ]
	run -3 flamediff --text x y
	[[ $output == *"alloc_space/bytes"*$'\n\n'*"event=cpu"* ]]
	# pprof holds one.
	run -2 --separate-stderr flamediff -o pprof x x
	[[ $stderr == *"-o pprof holds one document, there are 2 (alloc, cpu)"* ]]
	# -t asks for those that have it.
	run -0 --separate-stderr flamediff -t alloc_space x x
	[ "${#lines[@]}" = 1 ]
	run -2 --separate-stderr flamediff -t nothing x x
	[[ $stderr == *"no sample type 'nothing'"* ]]
}

@test "sample types that only one side has are named" {
	printf 'a 1\n' | stackmerge --event heap --type inuse_space/bytes >x
	printf 'a 1\n' | stackmerge --event heap --type inuse_objects/count >y
	run -2 --separate-stderr flamediff x y
	[ "$stderr" = 'flamediff: heap: sample types differ: only base has inuse_space/bytes, only target has inuse_objects/count (-t compares one that both have)' ]
	echo '{"tree":1,"sample_types":[{"type":"inuse_objects","unit":"count"},{"type":"inuse_space","unit":"bytes"}],"labels":{"event":"heap"},"frames":[{"name":"a"}],"nodes":{"parent":[-1,0],"frame":[0,0],"self":[[0,2],[0,5]]}}' >both
	run -2 --separate-stderr flamediff both y
	[ "$stderr" = 'flamediff: heap: sample types differ: only base has inuse_space/bytes (-t compares one that both have)' ]
	run -0 flamediff -t inuse_objects both y
	[[ $output == *'"self":[[0,2],[0,1]]'* ]]
	run -2 --separate-stderr flamediff -t inuse_space both y
	[ "$stderr" = "flamediff: heap: no sample type 'inuse_space'; there is inuse_objects/count" ]
}

@test "--by pairs by labels too" {
	for side in x y; do
		for s in cart shop; do
			printf 'a 1\n' | stackmerge --event cpu --label service=$s --label run=$side
		done
	done >both
	head -n 2 both >x
	tail -n 2 both | sed 's/"shop"/"till"/' >y
	run -0 flamediff x y
	[ "${#lines[@]}" = 1 ]
	run -3 --separate-stderr flamediff --by service x y
	[ "${#lines[@]}" = 1 ]
	[[ $output == *'"labels":{"event":"cpu","service":"cart"}'* ]]
	[ "$stderr" = $'flamediff: warning: only base has cpu, service=shop\nflamediff: warning: only target has cpu, service=till' ]
}

@test "selection holds for both sides" {
	printf 'a;x 1\na;y 2\n' >x
	printf 'a;x 1\na;y 3\n' >y
	run -0 flamediff --exit-code --focus x x y
	run -1 flamediff --exit-code --ignore x x y
	[ "$(flamediff --text --hide '^a$' x y | table total)" = '2|3|+1|+50.0%|y' ]
	[ "$(flamediff --text --show '^a$' x y | table self)" = '3|4|+1|+33.3%|a' ]
	run -3 --separate-stderr flamediff --focus nowhere x y
	[ "$stderr" = "flamediff: warning: no stack matches the selection" ]
}

@test "pprof: base is negative under pprof::base" {
	printf 'a;b 3\n' >x
	printf 'a;b 5\n' >y
	flamediff -o pprof x y | pprof2tree --by pprof::base -o folded >out || true
	flamediff -o pprof x y | pprof2tree -o folded >sum
	[ "$(cat sum)" = "a;b 2" ]
	flamediff -o pprof x y | pprof2tree --by pprof::base >split
	grep -qF '[0,0,-3]' split
	grep -qF '[0,0,5]' split
}

@test "JSON and protobuf are one document, and stackmerge passes it" {
	# shellcheck disable=SC2046 # words
	flamediff --norm share $(sides) >json
	# shellcheck disable=SC2046
	flamediff --norm share -o pb $(sides) >pb
	stackmerge pb | cmp - json
	stackmerge -o pb json | cmp - pb
}

@test "a differential document is no input" {
	echo 'a 1' >x
	flamediff x x >d
	run -2 --separate-stderr flamediff d x
	[ "$stderr" = "flamediff: d: a differential document; compare what it was made from" ]
	run -2 --separate-stderr flamediff x d
	[ "$stderr" = "flamediff: d: a differential document; compare what it was made from" ]
	run -2 --separate-stderr flamediff --focus a x d
	[ "$stderr" = "flamediff: d: record 1: a differential document has no stacks to select from" ]
	run -2 --separate-stderr stackmerge --focus a d
	[ "$stderr" = "stackmerge: d: record 1: a differential document has no stacks to select from" ]
}

@test "wrong usage says what and shows the synopsis" {
	echo 'a 1' >x
	while IFS='|' read -r args want; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr flamediff $args
		[[ $stderr == "flamediff: $want"* ]] || { echo "$args: $stderr" >&2; false; }
		[ -z "$output" ]
	done <<'ROWS'
|BASE is missing
x|TARGET is missing
--base x|TARGET is missing
--target x|BASE is missing
x x x|one operand too many: x
--base x --target x x|one operand too many: x
- -|standard input (-) can be read once only
--norm half x x|--norm: no norm 'half'; there are none, share
-o folded x x|-o: no format 'folded' for two sides; there are json, pb, pprof, text
-o what x x|-o: no format 'what' for two sides
-i what x x|-i: no format 'what'
--rows x x x|--rows: 'x' is not a number
ROWS
	run -2 --separate-stderr flamediff
	[[ ${stderr_lines[1]} == "usage: flamediff"* ]]
	# The last format counts.
	run -0 flamediff --text -o json x x
	[[ $output == '{"tree":1'* ]]
	run -0 flamediff -o pb -o text x x
	[[ $output == "# samples/count"* ]]
}

@test "--keep-going names broken inputs" {
	echo 'a 1' >x
	printf '{"tree":1,"sample' >broken
	run -2 flamediff --base x --base broken x
	run -3 --separate-stderr flamediff --keep-going --base x --base broken x
	[[ $stderr == "flamediff: broken: "* ]]
	[[ $output == *'"self":[[0,1],[0,1]]'* ]]
}

@test "names and labels cannot steer a terminal" {
	printf 'a\e[31m;b\xc2\x9b0m 1\n' >x
	printf 'a\e[31m;b\xc2\x9b0m 2\n' | stackmerge --label $'k=\e[2J' >y
	flamediff --text x y >report
	run -1 grep -q $'\e' report
	run -1 grep -q $'\xc2\x9b' report
	grep -q 'a?\[31m$' report
	grep -q 'k=?\[2J$' report
	run -3 --separate-stderr flamediff --by k x y
	[[ $stderr == *'only target has (no event), k=?[2J'* ]]
}

@test "the same bytes with any hash seed; swapped sides are the same report mirrored" {
	for o in json pb text; do
		for seed in 1 77; do
			# shellcheck disable=SC2046 # words
			FLAMEPIPE_HASH_SEED=$seed flamediff -o $o --norm share $(sides) >"$o.$seed"
		done
		cmp "$o.1" "$o.77"
	done
	stackmerge "$D"/base[123].folded >x
	stackmerge "$D"/reg[123].folded >y
	flamediff --text --rows 0 x y | table self | awk -F'|' '{ print $2, $1, -$3, $5 }' >one
	flamediff --text --rows 0 y x | table self | awk -F'|' '{ print $1, $2, $3 + 0, $5 }' | diff one -
}

@test "units: time and bytes are scaled, rows end with a count of the rest" {
	printf 'a 1500000\nb 2\nc 5\n' | stackmerge --type cpu/nanoseconds >x
	printf 'a 2500\nb 4\nc 6\n' | stackmerge --type cpu/nanoseconds >y
	run -0 flamediff --text --rows 2 x y
	[[ ${lines[4]} == "# 3 functions changed by self" ]]
	[[ ${lines[6]} =~ ^\ +1.50\ ms\ +2.50\ µs\ +-1.50\ ms\ +-99.8\ %\ \ a$ ]]
	[[ ${lines[8]} == "# 1 more (--rows)" ]]
	# Cells are as wide as their characters, not their bytes.
	printf 'a 1024\n' | stackmerge --type alloc_space/bytes >x
	printf 'a 2048\n' | stackmerge --type alloc_space/bytes >y
	[ "$(flamediff --text x y | table self)" = '1.00KiB|2.00KiB|+1.00KiB|+100%|a' ]
}

@test "-v says what was compared" {
	echo 'a;b 1' >x
	echo 'a;c 1' >y
	run -0 --separate-stderr flamediff -v -O out x y
	[ "$stderr" = "flamediff: (no event): 3 nodes of base, 3 of target, 4 of both together" ]
}
