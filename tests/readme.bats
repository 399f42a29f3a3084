#!/usr/bin/env bats
# What the README and the demo promise.
load helper

@test "the demo makes its pictures, and the picture of the README is one of them" {
	(cd "$PROJECT" && BUILD=${BUILD#"$PROJECT"/} scripts/demo.sh) >out
	[ "$(wc -l <out)" = 6 ]
	while IFS=: read -r file _; do
		[ -s "$PROJECT/$file" ] || { echo "$file" >&2; false; }
	done <out
	golden_svg=$PROJECT/man/flamepipe.svg
	[ -z "${REGOLD:-}" ] || cp "$BUILD/demo/readme.svg" "$golden_svg"
	cmp "$BUILD/demo/readme.svg" "$golden_svg"
	[ "$(stat -c %s "$golden_svg")" -lt 60000 ]
}

@test "the pipelines of the README work" {
	cp "$FIX/pprof/cpu-a.pb.gz" base.pb.gz
	cp "$FIX/pprof/cpu.pb.gz" target.pb.gz
	zcat "$FIX/jfr/ap-small-multi.jfr.gz" >recording.jfr
	jfr2tree recording.jfr | flamesvg --title checkout >checkout.svg
	jfr2tree --summary recording.jfr | grep -q 'async-profiler 4.5'
	jfr2tree -e wall --from -10s --thread '^pool-' recording.jfr | flamesvg >pool.svg
	jfr2tree -e wall --under state -o top --cumulative recording.jfr | grep -q ' sleeping$'
	mkdir repo
	zcat "$FIX/jfr/jdk17-small.jfr.gz" >repo/a.jfr
	jfr2tree --follow repo -e cpu -o top --rows 5 | grep -q '^# event=cpu'
	stackmerge -o top --rows 20 <target.pb.gz | grep -q sha256
	pprof2tree -t inuse_space <"$FIX/pprof/heap.pb.gz" | flamesvg >heap.svg
	flamesvg -t inuse_space -O heap.svg <"$FIX/pprof/heap.pb.gz"
	for host in a b; do
		pprof2tree --label service=shop --label instance=$host -o pb -O $host.trees base.pb.gz
	done
	echo broken >c.trees
	run -3 --separate-stderr stackmerge --keep-going --by service -o pb -O day.trees ./*.trees
	[[ $stderr == "stackmerge: ./c.trees: "* ]]
	[ "$(stackmerge --by service day.trees | jq -c '[.labels.service, .profiles]')" = '["shop",2]' ]
	flamediff --text --norm share base.pb.gz target.pb.gz | grep -q 'norm share'
	flamediff --norm share base.pb.gz target.pb.gz | flamesvg >diff.svg
	for f in checkout pool heap diff; do
		xmllint --noout $f.svg
	done
}
