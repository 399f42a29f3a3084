#!/bin/bash
# same-bytes.sh: what the programs write depends on nothing but their input: the same
# bytes from gcc and clang, -O0 and -O2, other locales, folders and hash seeds. TAP.
cd "$(dirname "$0")/.." || exit 2
variants=("gcc -O2" "gcc -O0" "clang -O2" "clang -O0")
n=0 failed=0 first=
here=$PWD
# A locale whose upper case and decimal comma would show.
mkdir -p build-same/locale
localedef -i tr_TR -f UTF-8 build-same/locale/tr_TR.UTF-8 || exit 2
export LOCPATH=$here/build-same/locale
for v in "${variants[@]}"; do
	read -r cc opt <<<"$v"
	B=build-same/$cc$opt
	make -s -j "$(nproc)" CC="$cc" B="$B" CFLAGS="$opt -g" all >/dev/null || exit 2
	out=$here/$B/out
	rm -rf "$out"
	mkdir -p "$out"
	# Another folder, locale and seed for each.
	(
		cd "$out" || exit 2
		export FLAMEPIPE_HASH_SEED=$((n * 7919 + 3)) TZ=Asia/Tokyo
		[ $((n % 2)) = 0 ] || export LC_ALL=tr_TR.UTF-8
		fix=$here/tests/fixtures
		p=$here/$B
		for f in "$fix"/pprof/*.pb.gz "$fix"/pprof/edge/ok-*; do
			"$p/pprof2tree" -q - <"$f" >"pprof-${f##*/}" 2>&1
			"$p/pprof2tree" -q -g address -o pb - <"$f" >"address-${f##*/}" 2>&1
		done
		for f in "$fix"/jfr/*.jfr.gz; do
			"$p/jfr2tree" -q - <"$f" >"jfr-${f##*/}"
			"$p/flamesvg" -q - <"jfr-${f##*/}" >"svg-${f##*/}"
		done
		for f in "$fix"/tree/*.json; do
			"$p/stackmerge" -o pb - <"$f" >"tree-${f##*/}"
			"$p/stackmerge" -o top - <"$f" >"top-${f##*/}"
			"$p/flamesvg" -q - <"$f" >"tree-svg-${f##*/}"
		done
		"$p/flamediff" --norm share "$fix/pprof/cpu-a.pb.gz" "$fix/pprof/cpu.pb.gz" >two.diff
		"$p/flamediff" --text --norm share "$fix/pprof/cpu-a.pb.gz" "$fix/pprof/cpu.pb.gz" >diff.txt
		"$p/flamesvg" -q two.diff >diff.svg
		"$p/stackmerge" -o pprof "$fix/pprof/cpu.pb.gz" | gzip -dc >pprof.raw
	)
	n=$((n + 1))
	if [ -z "$first" ]; then
		first=$out
		count=$(find "$out" -type f -size +0 | wc -l)
		if [ "$count" -lt 60 ]; then failed=1; echo "not ok $n - $v wrote $count files"; else echo "ok $n - $v wrote $count files"; fi
	elif diff -rq "$first" "$out"; then
		echo "ok $n - $v equals ${variants[0]}"
	else
		failed=1
		echo "not ok $n - $v differs from ${variants[0]}"
	fi
done
echo "1..$n"
exit $failed
