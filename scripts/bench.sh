#!/bin/bash
# bench.sh: MB/s and peak memory of the readers on inputs of at least 100 MB, made or
# recorded here and kept in the build folder, and against peers where they are: ratios of
# CPU time in one run, best of BENCH_RUNS (3). Figures to read, not a test: none fails.
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
DATA=$BUILD/bench
RUNS=${BENCH_RUNS:-3}
SHARED=${FLAMEPIPE_SHARED:-../shared}
mkdir -p "$DATA"

# measure NAME MB COMMAND...: the best run's CPU seconds in $cpu, KiB in $peak and $anon.
measure() {
	local name=$1 mb=$2 status
	shift 2
	read -r cpu peak anon status < <("$DATA/cost" "$RUNS" "$@" 2>"$DATA/err")
	awk -v n="$name" -v mb="$mb" -v c="$cpu" -v m="$peak" 'BEGIN {
		printf "%-44s %7.1f MB %8.3f s %8.0f MB/s %7.0f MB peak\n", n, mb, c, mb / c, m / 1024 }'
	# 3: part of what was asked for is not there, such as a kind of profile.
	[ "$status" = 0 ] || [ "$status" = 3 ] || sed 's/^/    /; 3q' "$DATA/err"
}

against() { # NAME OURS THEIRS
	awk -v n="$1" -v a="$2" -v b="$3" 'BEGIN { printf "%-44s %32.1f times the peer\n", n, b / a }'
}

# bound NAME VALUE LIMIT UNIT: said, never failed for.
bound() {
	awk -v n="$1" -v v="$2" -v l="$3" -v u="$4" 'BEGIN {
		printf "%-44s %14.3f of %.3f %s: %s\n", n, v, l, u, v <= l ? "met" : "not met" }'
}

sum() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }
megabytes() { awk -v b="$(stat -c %s "$1")" 'BEGIN { print b / 1e6 }'; }

# value KEY LINE: of what the walk prints.
value() { sed -n "s/.*\\<$1=\\([^ ]*\\).*/\\1/p" <<<"$2"; }

# One kind: what jfrconv takes for it is added to $theirs.
kind() { # FILE MB KIND [OPTION...]
	local file=$1 mb=$2 kind=$3 ours
	shift 3
	kinds=$kinds${kinds:+,}$kind
	measure "jfr2tree $file, $kind" "$mb" "$BUILD/jfr2tree" -q -e "$kind" -o pb "$DATA/$file.jfr"
	ours=$cpu
	[ -n "$jfrconv" ] || return 0
	measure "jfrconv $file, $kind" "$mb" java -jar "$jfrconv" "$@" -o collapsed "$DATA/$file.jfr" "$DATA/out"
	rm -f "$DATA/out"
	against "jfr2tree $file, $kind" "$ours" "$cpu"
	theirs=$(sum "$theirs" "$cpu")
}

# All kinds in one pass: against the floor, the peer's runs together, and memory.
all_kinds() { # FILE MB
	local file=$1 mb=$2 walk floor nodes chunk limit anon_once n
	walk=$("$DATA/walk" "$DATA/$file.jfr")
	chunk=$(value largest "$walk")
	measure "walk $file, $(value chunks "$walk") chunks, $(value frames "$walk") frames" "$mb" "$DATA/walk" "$DATA/$file.jfr"
	floor=$cpu
	nodes=$("$BUILD/jfr2tree" -v -o pb "$DATA/$file.jfr" 2>&1 >/dev/null | sed -n 's/.* documents, \([0-9]*\) nodes.*/\1/p')
	measure "jfr2tree $file, these kinds in one pass" "$mb" "$BUILD/jfr2tree" -q -e "$kinds" -o pb "$DATA/$file.jfr"
	[ -z "$jfrconv" ] || against "jfr2tree $file, one pass to the sum" "$cpu" "$theirs"
	measure "jfr2tree $file, all kinds, $nodes nodes" "$mb" "$BUILD/jfr2tree" -q -o pb "$DATA/$file.jfr"
	limit=$(awk -v w="$floor" -v n="$nodes" 'BEGIN { print 2.5 * w + n * 25e-9 }')
	awk -v c="$cpu" -v w="$floor" 'BEGIN { printf "%-44s %32.1f walks\n", "", c / w }'
	bound "  2.5 walks and 25 ns a node" "$cpu" "$limit" s

	# Columns of a node: parent, frame, two values, kind = 4 + 4 + 16 + 1 bytes.
	anon_once=$anon
	limit=$(awk -v c="$chunk" -v n="$nodes" 'BEGIN { print 1.5 * c / 1e6 + n * 25e-6 + 16 }')
	bound "  anonymous: 1.5 chunks, 25 B a node, 16 MB" "$(awk -v a="$anon" 'BEGIN { print a * 1024 / 1e6 }')" "$limit" MB
	# Chunks are self-contained: a recording many times over is a recording.
	for ((n = 2; ; n *= 2)); do
		for ((i = 0; i < n; i++)); do cat "$DATA/$file.jfr"; done >"$DATA/times.jfr"
		mb=$(megabytes "$DATA/times.jfr")
		measure "jfr2tree $file, $n times" "$mb" "$BUILD/jfr2tree" -q -o pb "$DATA/times.jfr"
		[ "$n" != 2 ] || bound "  anonymous, twice the file" "$(awk -v a="$anon" 'BEGIN { print a * 1024 / 1e6 }')" \
			"$(awk -v a="$anon_once" 'BEGIN { print 1.05 * a * 1024 / 1e6 }')" MB
		[ "${mb%.*}" -lt 900 ] || break
	done
	rm -f "$DATA/times.jfr"
}

jfrconv=${JFRCONV:-$SHARED/peers/jfr-converter.jar}
if ! [ -e "$jfrconv" ] || ! command -v java >/dev/null; then
	echo "skipped: jfrconv: no java, or no jar (JFRCONV names it)"
	jfrconv=
fi
for f in jdk ap; do
	if ! [ -s "$DATA/$f.jfr" ] && ! tests/bench/record.sh "$f" "$DATA/$f.jfr" 2>"$DATA/err"; then
		echo "skipped: jfr2tree $f: $(tail -n 1 "$DATA/err")"
		continue
	fi
	mb=$(megabytes "$DATA/$f.jfr") theirs=0 kinds=
	case $f in
	jdk) kind "$f" "$mb" cpu ;; # its samples have no state that --cpu would take
	ap) kind "$f" "$mb" cpu --cpu && kind "$f" "$mb" wall --wall ;;
	esac
	kind "$f" "$mb" lock --lock --total
	kind "$f" "$mb" alloc --alloc --total
	all_kinds "$f" "$mb"
done

[ -s "$DATA/big.pb" ] || python3 tests/bench/make_pprof.py 1300000 7 >"$DATA/big.pb"
[ -s "$DATA/big.pb.gz" ] || gzip -1 -c "$DATA/big.pb" >"$DATA/big.pb.gz"
[ -s "$DATA/big.folded" ] || python3 tests/bench/make_folded.py 500000 50 1 >"$DATA/big.folded"
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
