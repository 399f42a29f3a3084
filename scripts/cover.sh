#!/bin/sh
# cover.sh: what the tests reach, and what the fuzz corpora alone reach of each reader.
cd "$(dirname "$0")/.." || exit 2
B=build-cover
rm -rf $B
make -s B=$B CFLAGS='-O0 -g --coverage' all || exit 2
targets=
for t in tests/fuzz/*.c; do
	t=$(basename "$t" .c)
	[ "$t" = replay ] || targets="$targets $t"
done
for t in $targets; do
	make -s B=$B CFLAGS='-O0 -g --coverage' "$B/fuzz/$t" || exit 2
	"$B/fuzz/$t" "tests/fuzz/corpus/$t" >/dev/null || exit 1
done
echo "what the fuzz corpora reach of the readers:"
gcovr --root . --object-directory $B --filter 'libcommon/(formats|bytes|tree)/' --txt 2>/dev/null |
	awk '/^libcommon/ { if (NF == 1) { name = $1; getline; print name, $3 } else print $1, $4 }' | column -t
make -s B=$B CFLAGS='-O0 -g --coverage' check-here >/dev/null || exit 1
echo "what all tests reach:"
gcovr --root . --object-directory $B --filter 'libcommon/|cmd/' --print-summary --txt $B/all.txt 2>/dev/null | head -n 2
