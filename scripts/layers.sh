#!/bin/sh
# layers.sh: every #include of libcommon goes to its own folder or to one further left.
cd "$(dirname "$0")/.." || exit 2
awk '
BEGIN {
	n = split("base bytes tree formats analysis render", layer, " ")
	for (i = 1; i <= n; i++) rank[layer[i]] = i
}
/^#include "/ {
	split(FILENAME, from, "/")
	split($2, to, "\"")
	if (to[2] !~ /\//) next # generated
	split(to[2], dir, "/")
	mine = from[1] == "libcommon" ? rank[from[2]] : n + 1
	if (!(dir[1] in rank)) { print FILENAME ": no layer " dir[1]; bad = 1 }
	else if (rank[dir[1]] > mine) { print FILENAME ":" FNR ": " to[2] " lies to the right"; bad = 1 }
	if (to[2] == "base/cli.h" && from[1] == "libcommon" && FILENAME !~ /cli\.c$/) {
		print FILENAME ": base/cli.h is for programs alone"; bad = 1
	}
}
END { exit bad }
' libcommon/*/*.c libcommon/*/*.h cmd/*.c
