#!/usr/bin/env bats
# What the fuzzers started from and what they found runs through every target.
load helper

@test "every corpus is replayed" {
	for t in "$PROJECT"/tests/fuzz/*.c; do
		t=$(basename "$t" .c)
		[ "$t" != replay ] || continue
		[ -d "$PROJECT/tests/fuzz/corpus/$t" ]
		"$BUILD/fuzz/$t" "$PROJECT/tests/fuzz/corpus/$t"
	done
}
