#!/bin/sh
# fuzz.sh SECONDS TARGET...: run each fuzz target with clang's libFuzzer under
# sanitizers. New inputs stay in build-fuzz/found/TARGET; a finding is status 1.
cd "$(dirname "$0")/.." || exit 2
seconds=$1
shift
B=build-fuzz
flags="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
make -s -j "$(nproc)" CC=clang B=$B GUARD="$flags" $B/libcommon.a || exit 2
status=0
for t in "$@"; do
	mkdir -p "$B/fuzz" "$B/found/$t" "tests/fuzz/corpus/$t"
	# shellcheck disable=SC2046,SC2086 # lists of flags
	clang -std=c17 -D_GNU_SOURCE -DVERSION='"fuzz"' -iquote libcommon -iquote $B/proto -iquote $B/gen \
		-iquote tests/fuzz -iquote tests/unit -include libcommon/base/banned.h $flags -fsanitize=fuzzer \
		-o "$B/fuzz/$t" "tests/fuzz/$t.c" $B/libcommon.a $(pkg-config --libs libprotobuf-c libzstd zlib) -lm || exit 2
	if "$B/fuzz/$t" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 \
		-artifact_prefix="$B/found/crash-$t-" "$B/found/$t" "tests/fuzz/corpus/$t" >"$B/fuzz/$t.log" 2>&1; then
		echo "fuzz: $t: $(grep -o '^Done .*' "$B/fuzz/$t.log" || tail -n 1 "$B/fuzz/$t.log")"
	else
		echo "fuzz: $t: a finding, see $B/fuzz/$t.log"
		grep -v "^#" "$B/fuzz/$t.log" | tail -n 12
		status=1
	fi
done
exit $status
