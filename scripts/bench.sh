#!/bin/bash
# bench.sh: MB/s and peak memory of the readers on inputs of at least 100 MB, made here,
# and against peers where they are: ratios of CPU time in one run. Best of three.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
DATA=$BUILD/bench
SHARED=${FLAMEPIPE_SHARED:-../shared}
mkdir -p "$DATA"

# measure NAME MB COMMAND...: CPU seconds of the best run in $cpu.
measure() {
	local name=$1 mb=$2 best=999999 peak=0 user sys mem
	shift 2
	for _ in 1 2 3; do
		read -r user sys mem < <({ command time -f '%U %S %M' "$@" >/dev/null 2>"$DATA/err"; } 2>&1 || true; tail -n 1 "$DATA/err")
		cpu=$(awk -v u="$user" -v s="$sys" 'BEGIN { print u + s }')
		if awk -v a="$cpu" -v b="$best" 'BEGIN { exit !(a < b) }'; then best=$cpu peak=$mem; fi
	done
	cpu=$best
	awk -v n="$name" -v mb="$mb" -v c="$best" -v m="$peak" 'BEGIN {
		printf "%-44s %7.1f MB %8.2f s %8.0f MB/s %7.0f MB peak\n", n, mb, c, mb / (c > 0 ? c : 0.005), m / 1024 }'
}

against() { # NAME OURS THEIRS
	awk -v n="$1" -v a="$2" -v b="$3" 'BEGIN { printf "%-44s %32.1f times the peer\n", n, b / (a > 0 ? a : 0.005) }'
}

megabytes() { awk -v b="$(stat -c %s "$1")" 'BEGIN { print b / 1e6 }'; }

# Chunks are self-contained: a recording many times over is a recording.
multiply() {
	local from=$1 to=$2
	[ -s "$to" ] || while [ ! -e "$to" ] || [ "$(stat -c %s "$to")" -lt 100000000 ]; do
		zcat -f "$from" >>"$to"
	done
}

multiply tests/fixtures/jfr/ap-small-multi.jfr.gz "$DATA/ap.jfr"
multiply tests/fixtures/jfr/jdk17-small.jfr.gz "$DATA/jdk.jfr"
[ -s "$DATA/big.pb" ] || python3 tests/bench/make_pprof.py 1300000 7 >"$DATA/big.pb"
[ -s "$DATA/big.pb.gz" ] || gzip -1 -c "$DATA/big.pb" >"$DATA/big.pb.gz"
[ -s "$DATA/big.folded" ] || python3 tests/bench/make_folded.py 500000 50 1 >"$DATA/big.folded"

for f in ap jdk; do
	mb=$(megabytes "$DATA/$f.jfr")
	measure "jfr2tree $f, all kinds" "$mb" "$BUILD/jfr2tree" -o pb "$DATA/$f.jfr"
	measure "jfr2tree $f, cpu" "$mb" "$BUILD/jfr2tree" -e cpu -o pb "$DATA/$f.jfr"
	ours_cpu=$cpu
	measure "jfr2tree $f, alloc" "$mb" "$BUILD/jfr2tree" -e alloc -o pb "$DATA/$f.jfr"
	ours_alloc=$cpu
	jar=$SHARED/peers/jfr-converter.jar
	if [ -e "$jar" ] && command -v java >/dev/null; then
		measure "jfrconv $f, cpu" "$mb" java -jar "$jar" -o collapsed "$DATA/$f.jfr" "$DATA/out"
		against "jfr2tree $f, cpu" "$ours_cpu" "$cpu"
		measure "jfrconv $f, alloc" "$mb" java -jar "$jar" --alloc --total -o collapsed "$DATA/$f.jfr" "$DATA/out"
		against "jfr2tree $f, alloc" "$ours_alloc" "$cpu"
	fi
done
mb=$(megabytes "$DATA/big.pb")
measure "pprof2tree, raw" "$mb" "$BUILD/pprof2tree" -o pb "$DATA/big.pb"
measure "pprof2tree, gzip'd (of raw bytes)" "$mb" "$BUILD/pprof2tree" -o pb "$DATA/big.pb.gz"
if command -v pprof >/dev/null; then
	ours=$cpu
	measure "google/pprof -proto" "$mb" pprof -symbolize=none -proto -output=/dev/null "$DATA/big.pb.gz"
	against "pprof2tree" "$ours" "$cpu"
fi
mb=$(megabytes "$DATA/big.folded")
measure "stackmerge, folded" "$mb" "$BUILD/stackmerge" -o pb "$DATA/big.folded"

# A picture of some 400,000 nodes.
[ -s "$DATA/picture.folded" ] || python3 tests/bench/make_folded.py 26700 30 2 >"$DATA/picture.folded"
"$BUILD/stackmerge" -o pb "$DATA/picture.folded" >"$DATA/picture.trees"
mb=$(megabytes "$DATA/picture.trees")
measure "flamesvg, a tree" "$mb" "$BUILD/flamesvg" "$DATA/picture.trees"
mb=$(megabytes "$DATA/picture.folded")
measure "flamesvg, from folded text" "$mb" "$BUILD/flamesvg" "$DATA/picture.folded"
pl=$SHARED/peers/FlameGraph/flamegraph.pl
if [ -e "$pl" ] && command -v perl >/dev/null; then
	ours=$cpu
	measure "flamegraph.pl" "$mb" perl "$pl" "$DATA/picture.folded"
	against "flamesvg" "$ours" "$cpu"
fi
measure "flamediff, two trees" "$(megabytes "$DATA/picture.trees")" "$BUILD/flamediff" -o pb "$DATA/picture.trees" "$DATA/picture.trees"
