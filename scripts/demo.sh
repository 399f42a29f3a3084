#!/bin/sh
# demo.sh: from recordings to pictures, in build/demo, with a line on what to look at.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
out=$BUILD/demo
fix=tests/fixtures
PATH=$PWD/$BUILD:$PATH
mkdir -p "$out"

# A recording of async-profiler and one of the JDK, each kind a tree.
jfr2tree --label service=loadgen --label instance=ap-1 "$fix/jfr/ap-small-multi.jfr.gz" >"$out/ap.trees"
jfr2tree --label service=loadgen --label instance=jdk-1 "$fix/jfr/jdk17-small.jfr.gz" >"$out/jdk.trees"
flamesvg --title 'load generator on the JVM' -O "$out/jvm.svg" "$out/ap.trees"
echo "$out/jvm.svg: cpu, wall, alloc, lock and live objects of one recording; switch at the top right"

# Two instances of a Go program become one tree; as a table and as a picture.
pprof2tree --label service=loadgen --label instance=go-1 "$fix/pprof/cpu.pb.gz" >"$out/go-1.trees"
pprof2tree --label service=loadgen --label instance=go-2 "$fix/pprof/cpu-a.pb.gz" >"$out/go-2.trees"
stackmerge -o pb "$out/go-1.trees" "$out/go-2.trees" >"$out/go.trees"
flamesvg --title 'load generator in Go, two instances' -O "$out/go.svg" "$out/go.trees"
echo "$out/go.svg: CPU time of two instances; press / and type sha256; a click zooms, 0 zooms out"
stackmerge -o top --rows 5 "$out/go.trees" >"$out/go.top"
echo "$out/go.top: the same as a table; $(sed -n 3p "$out/go.top" | awk '{ print $NF }') leads by self"
pprof2tree -t inuse_space "$fix/pprof/heap.pb.gz" | flamesvg --title 'heap in use' -O "$out/heap.svg"
echo "$out/heap.svg: who holds the heap, by bytes"

# Two runs compared, scaled to equal totals.
flamediff --norm share -O "$out/go.diff" "$out/go-1.trees" "$out/go-2.trees"
flamesvg --title 'two runs' -O "$out/diff.svg" "$out/go.diff"
echo "$out/diff.svg: orange grew, hatched blue shrank; the table beside it is $out/diff.txt"
flamediff --text --norm share "$out/go-1.trees" "$out/go-2.trees" >"$out/diff.txt"

# The picture of the README.
flamesvg --embed -e cpu --min-width 0.8 --title 'load generator on the JVM' -O "$out/readme.svg" "$out/ap.trees"
echo "$out/readme.svg: the picture of the README"
