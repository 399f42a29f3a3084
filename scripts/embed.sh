#!/bin/sh
# embed.sh DIR FILE...: each text file as DIR/NAME.inc, the elements of a char array,
# for programs that carry style sheets and scripts.
set -eu
dir=$1
shift
for f in "$@"; do
	od -An -v -tu1 "$f" | sed 's/  */ /g; s/ \([0-9]\)/,\1/g; s/^,//; s/$/,/' >"$dir/$(basename "$f").inc"
done
