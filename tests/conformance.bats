#!/usr/bin/env bats
# What holds for every program.
load helper

programs() {
	for c in "$PROJECT"/cmd/*.c; do
		basename "$c" .c
	done
}

options_of_help() {
	"$1" --help | grep -oE '(^| )--?[a-zA-Z][a-z-]*' | tr -d ' ' | grep -E '^--' | sort -u
}

options_of_manual() {
	grep -oE '^\.It Fl .*' "$PROJECT/man/$1.1" | grep -oE 'Fl -[a-z-]+' | sed 's/Fl -/--/' | sort -u
}

@test "--help goes to standard output, status 0, and ends with an example" {
	for p in $(programs); do
		run -0 --separate-stderr "$p" --help
		[ -z "$stderr" ]
		[[ ${lines[0]} == "usage: $p"* ]]
		[[ ${lines[-1]} == "example: "* ]]
		run -0 "$p" -h
	done
}

@test "--version prints name and version" {
	for p in $(programs); do
		run -0 "$p" --version
		[[ $output =~ ^$p\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "an unknown option: what was wrong and the synopsis, status 2" {
	for p in $(programs); do
		run -2 --separate-stderr "$BUILD/$p" --no-such-option
		[ -z "$output" ]
		[[ ${stderr_lines[0]} == "$p: "*no-such-option* ]]
		[[ ${stderr_lines[1]} == "usage: $p"* ]]
	done
}

@test "the manual has every option of --help, and no other" {
	for p in $(programs); do
		diff <(options_of_help "$p") <(options_of_manual "$p") || { echo "$p" >&2; false; }
	done
}

@test "a full disk is status 2 and said" {
	printf 'a;b 1\n' >in
	for p in $(programs); do
		operands=in
		[ "$p" != flamediff ] || operands="in in"
		for out in "" "-O /dev/full"; do
			# shellcheck disable=SC2086 # options and operands are words
			run -2 --separate-stderr bash -c "$p $out $operands >/dev/full"
			[[ $stderr == *"No space left on device"* ]] || { echo "$p: $stderr" >&2; false; }
		done
	done
}

@test "a closed standard input is status 2, not a hang" {
	for p in $(programs); do
		[ "$p" != flamediff ] || continue
		run -2 timeout 10 bash -c "$p <&-"
	done
}

@test "a missing file is named, status 2; an old -O file stays" {
	echo old >out
	for p in $(programs); do
		operands=nowhere
		[ "$p" != flamediff ] || operands="nowhere nowhere"
		# shellcheck disable=SC2086 # operands are words
		run -2 --separate-stderr "$p" -O out $operands
		[ "$stderr" = "$p: nowhere: No such file or directory" ]
		[ "$(cat out)" = old ]
		[ "$(ls -d out*)" = out ]
	done
}

@test "two runs give the same bytes, in other folders, locales and with other seeds" {
	printf 'main;a;b 3\nmain;c 4\nmain;f(int);g_[k] 5\n' >in
	mkdir elsewhere
	for p in $(programs); do
		operands=in
		[ "$p" != flamediff ] || operands="in in"
		# shellcheck disable=SC2086 # operands are words
		"$p" $operands >one
		# shellcheck disable=SC2086
		(cp in elsewhere && cd elsewhere && FLAMEPIPE_HASH_SEED=77 LC_ALL=tr_TR.UTF-8 "$p" $operands) | cmp - one
	done
}

@test "programs end quietly when nobody reads on" {
	awk 'BEGIN { for (i = 0; i < 60000; i++) print "main;f" i ";g" i, 1 }' >big
	for p in $(programs); do
		[ "$p" != flamediff ] || continue
		run bash -c "set -o pipefail; $p big 2>err | head -c 10 >/dev/null"
		[ "$status" = 141 ]
		[ ! -s err ]
	done
}

@test "-- ends the options" {
	printf 'a 1\n' >-x
	for p in $(programs); do
		operands=-x
		[ "$p" != flamediff ] || operands="-x -x"
		# shellcheck disable=SC2086 # operands are words
		run -0 "$p" -- $operands
	done
}

@test "filters start quickly and link neither curl nor a database" {
	for p in $(programs); do
		run ldd "$BUILD/$p"
		[[ $output != *curl* && $output != *sqlite* ]]
	done
}

@test "manuals are clean" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	mandoc -Tlint -Wwarning "$PROJECT"/man/*.[157]
}

@test "-O replaces what links lead to, keeps its mode, and leaves nothing else behind" {
	mkdir real out
	printf 'a 1\n' >in
	stackmerge in >want
	echo old >real/file && chmod 600 real/file
	ln -s ../real/file out/link
	ln -s link out/second
	ln -s ../real/new out/dangling
	stackmerge -O out/second in
	cmp real/file want
	[ -L out/link ] && [ -L out/second ]
	[ "$(stat -c %a real/file)" = 600 ]
	stackmerge -O out/dangling in
	cmp real/new want
	# A descriptor is written to, and not replaced.
	stackmerge -O /dev/stdout in >got
	cmp got want
	[ -L /dev/stdout ]
	long=$(printf '%0250d' 0)
	stackmerge -O "$long" in
	cmp "$long" want
	ln -s round out/round
	run -2 --separate-stderr stackmerge -O out/round in
	[ "$(ls -A real)" = "$(printf 'file\nnew')" ]
	# Killed while it writes: the old file stays, and there is no other.
	mkfifo pipe
	for signal in TERM HUP KILL; do
		env --default-signal=TERM,HUP stackmerge -O real/file pipe 3>&- &
		exec 4>pipe
		kill -$signal $!
		wait $! || true
		exec 4>&-
		[ "$(ls -A real)" = "$(printf 'file\nnew')" ]
		cmp real/file want
	done
}

@test "no message carries what a terminal would obey, not even in file names" {
	name=$(printf 'a\033[31m\302\2332Jb')
	printf '%s xx\n' "$name" >"$name"
	for p in stackmerge pprof2tree jfr2tree flamesvg; do
		run -2 --separate-stderr "$p" "$name"
		[[ $stderr == "$p: a?[31m??2Jb: "* ]]
		[[ $stderr != *$'\033'* && $stderr != *$'\302\233'* ]]
	done
	run -2 --separate-stderr flamediff "$name" "$name"
	[[ $stderr != *$'\033'* && $stderr != *$'\302\233'* ]]
}
