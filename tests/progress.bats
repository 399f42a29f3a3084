#!/usr/bin/env bats
# --progress, of every program.
load helper

programs() {
	for c in "$PROJECT"/cmd/*.c; do
		basename "$c" .c
	done
}

# slow FILE: a pipe from which it comes within somewhat more than a second.
slow() {
	head -c 5 "$1"
	sleep 1.2
	tail -c +6 "$1"
}

# shown: what stood on the line, one state a line.
shown() {
	tr '\r' '\n' <<<"$stderr" | grep ' MB/s'
}

# A line is gone when blanks stand over it, and the cursor before them.
erased() {
	[[ $stderr =~ $'\r'\ +$'\r'$ ]]
}

@test "always: a line after the first second, and gone at the end; the output is the same" {
	printf 'main;f 1\nmain;g 2\n' >in
	for p in $(programs); do
		operands="/dev/stdin"
		[ "$p" != flamediff ] || operands="in /dev/stdin"
		# shellcheck disable=SC2086 # operands are words
		"$p" $operands <in >want
		export p operands
		run -0 --separate-stderr bash -c "$(declare -f slow); slow in | $p --progress=always $operands"
		cmp want <(printf '%s\n' "$output")
		# shellcheck disable=SC2154 # of run
		[[ $(shown) =~ ^$p:\ /dev/stdin:\ 0\ MB,\ 0\ MB/s$ ]] || { echo "$stderr" >&2; false; }
		erased
	done
}

@test "what is short, quiet, no terminal or told never says nothing" {
	printf 'main;f 1\n' >in
	run -0 --separate-stderr stackmerge --progress=always in
	[ -z "$stderr" ]
	for when in never auto; do
		run -0 --separate-stderr bash -c "$(declare -f slow); slow in | stackmerge --progress $when"
		[ -z "$stderr" ]
	done
	run -2 --separate-stderr stackmerge --progress=often in
	[ "$stderr" = "stackmerge: --progress: 'often' is none of auto, always, never" ]
}

@test "a file: how much of it, and for how long still; names are cut and tame" {
	one=$FIX/jfr/jdk17-small.jfr.gz
	export one
	name=$(printf 'a-name-that-is-much-longer-than-any-\033-line.jfr')
	for _ in $(seq 150); do cat "$one"; done >"$name"
	run -0 --separate-stderr bash -c "$(declare -f slow); stackmerge -q --progress=always -o pb <(slow "\$one") '$name' >out"
	[[ $(shown | tail -n 1) =~ ^stackmerge:\ \.\.\.[a-z-]*-\?-line\.jfr:\ [0-9]+\ %,\ [0-9]+\ MB/s,\ [0-9]+\ s\ left\ *$ ]] ||
		{ shown >&2; false; }
	# Five times a second at most.
	[ "$(shown | wc -l)" -lt 60 ]
	erased
}

@test "erased before a warning or an error is said" {
	printf 'main;f 1\nx\n' >in
	run -3 --separate-stderr bash -c "$(declare -f slow); slow in | stackmerge --progress=always"
	[[ $stderr =~ $'\r'\ +$'\r'stackmerge:\ warning:\  ]]
	printf '{"v":1' >in
	run -2 --separate-stderr bash -c "$(declare -f slow); slow in | stackmerge --progress=always"
	[[ $stderr =~ $'\r'\ +$'\r'stackmerge:\ -: ]]
}

@test "auto: on a terminal, not with -q, and not on a dumb one" {
	command -v script >/dev/null || skip "script is not installed"
	printf 'main;f 1\n' >in
	terminal() {
		TERM=$1 script -qec "bash -c '$(declare -f slow); slow in | stackmerge $2 >/dev/null'" /dev/null </dev/null
	}
	run -0 terminal xterm ''
	[[ $output == *"stackmerge: -: 0 MB, 0 MB/s"* ]]
	run -0 terminal xterm -q
	[ -z "$output" ]
	run -0 terminal dumb ''
	[ -z "$output" ]
	run -0 terminal dumb --progress=always
	[[ $output == *" MB/s"* ]]
}
