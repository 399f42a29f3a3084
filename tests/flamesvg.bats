#!/usr/bin/env bats
bats_require_minimum_version 1.5.0

load helper

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	export LC_ALL=C
	dir=$BATS_TEST_TMPDIR
}

# The frames of a picture, one a line: "x% y width% title".
frames() {
	grep -o '<svg class="f[^>]*><title>[^<]*' "$1" |
		sed 's/<svg class="[^"]*" x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)" height="[^"]*"><title>/\1 \2 \3 /; s/ · .*//'
}

# Thin spaces as spaces.
has() {
	sed 's/\xe2\x80\xaf/ /g' "$2" | grep -qF -- "$1"
}

well_formed() {
	xmllint --noout "$1"
}

@test "every box of a small picture lies where arithmetic puts it" {
	printf '%s\n' 'a 1' 'a;b 2' 'c 1' | flamesvg >"$dir/a.svg"
	well_formed "$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 75% a
0% 40 50% b
75% 20 25% c" ]
	printf '%s\n' 'a 1' 'a;b 2' 'c 1' | flamesvg --flame >"$dir/f.svg"
	[ "$(frames "$dir/f.svg")" = "0% 40 100% all
0% 20 75% a
0% 0 50% b
75% 20 25% c" ]
}

@test "thirds are rounded at their edges, so neighbours meet" {
	printf '%s\n' 'a 1' 'b 1' 'c 1' | flamesvg >"$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 33.33% a
33.33% 20 33.34% b
66.67% 20 33.33% c" ]
}

@test "one function under one parent is one box" {
	printf '%s\n' 'foo 5' 'foo(int);x 3' 'foo;y 2' | flamesvg >"$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 70% foo
0% 40 20% y
70% 20 30% foo(int)
70% 40 30% x" ]
}

@test "title, facts and description come from the document" {
	flamesvg >"$dir/a.svg" <<'END'
{"tree":1,"sample_types":[{"type":"samples","unit":"count"},{"type":"cpu","unit":"nanoseconds"}],"default":1,"labels":{"event":"cpu","instance":"shop-1","region":"eu","service":"shop"},"start_ns":1700000000000000000,"end_ns":1700000060000000000,"duration_ns":60000000000,"frames":[{"name":"main"},{"name":"emit"}],"nodes":{"parent":[-1,0,1],"frame":[0,0,1],"self":[[0,1,2],[0,10000000,20000000]]}}
END
	well_formed "$dir/a.svg"
	grep -q '<title id="fg-title">shop · cpu</title>' "$dir/a.svg"
	has '>30.0 ms cpu</tspan> · 3 samples · 2023-11-14 22:13:20 – 22:14:20 UTC · 60 s · instance shop-1 · region=eu</text>' "$dir/a.svg"
	has 'Largest by self: emit 66.7 %, main 33.3 %.</desc>' "$dir/a.svg"
}

@test "names that look like markup are text" {
	printf '%s\n' '</script>;<script>alert(1)</script> 3' "\"'<&>;]]>;<!--;-->;\${x} 2" 'a;b\001c 1' 'λ→🔥;שלום;数据 4' |
		sed "s/\\\\001/$(printf '\001')/" | flamesvg -i folded >"$dir/a.svg"
	well_formed "$dir/a.svg"
	# The script element is ours alone, and nothing ends it or the data early.
	[ "$(grep -c '<script' "$dir/a.svg")" = 1 ]
	[ "$(grep -c '</script>' "$dir/a.svg")" = 1 ]
	[ "$(xmllint --xpath 'count(//*[local-name()="script"])' "$dir/a.svg")" = 1 ]
	xmllint --xpath 'string(//*[local-name()="metadata"])' "$dir/a.svg" | jq -e '.names | index("</script>") and index("]]>") and index("λ→🔥")'
	# Byte 0x01 is not XML: it stays in the data, escaped, and is U+FFFD in the picture.
	! grep -q "$(printf '\001')" "$dir/a.svg"
	frames "$dir/a.svg" | grep -q 'b�c'
}

@test "types, units, labels, sides and shares are text as well" {
	flamesvg >"$dir/a.svg" <<'END'
{"tree":1,"sample_types":[{"type":"<t>","unit":"<u>"},{"type":"<t>","unit":"<u>"}],"labels":{"event":"<e>","<k>":"]]><v>"},"frames":[{"name":"a"},{"name":"b","file":"<f>","line":3}],"nodes":{"parent":[-1,0,0],"frame":[0,0,1],"self":[[0,1,100000],[0,2,100000]]},"sides":[{"name":"<b>","labels":{"run":"<1>"}},{"name":"<c>","labels":{"run":"</script>"}}],"norm":"<n>","scale":[1]}
END
	well_formed "$dir/a.svg"
	flamesvg --title '<&>' --subtitle '"<&>' >"$dir/b.svg" <<'END'
{"tree":1,"sample_types":[{"type":"<t>","unit":"<u>"}],"labels":{"event":"<e>"},"frames":[{"name":"a"},{"name":"b"}],"nodes":{"parent":[-1,0,0],"frame":[0,0,1],"self":[[0,1,100000]]}}
END
	well_formed "$dir/b.svg"
	[ "$(xmllint --xpath 'count(//*[local-name()="script"])' "$dir/a.svg")" = 1 ]
}

@test "3000 levels are 3001 rows" {
	perl -e 'print join(";", map { "f$_" } 1 .. 3000), " 1\n"' | flamesvg >"$dir/a.svg"
	well_formed "$dir/a.svg"
	[ "$(frames "$dir/a.svg" | wc -l)" = 3001 ]
	frames "$dir/a.svg" | grep -q '^0% 60000 100% f3000$'
}

@test "the same bytes whatever the hash seed, the locale and the run" {
	f=tests/fixtures/svg/reg1.folded
	flamesvg "$f" >"$dir/1.svg"
	flamesvg "$f" >"$dir/2.svg"
	FLAMEPIPE_HASH_SEED=12345 flamesvg "$f" >"$dir/3.svg"
	LC_ALL=tr_TR.UTF-8 TZ=Asia/Tokyo flamesvg "$f" >"$dir/4.svg"
	for n in 2 3 4; do cmp "$dir/1.svg" "$dir/$n.svg"; done
	# The order of lines does not matter either.
	tac "$f" | flamesvg >"$dir/5.svg"
	cmp "$dir/1.svg" "$dir/5.svg"
}

@test "narrow frames run together behind their siblings" {
	printf '%s\n' 'a;x 1' 'b 98' 'c 1' | flamesvg --min-width 2 --no-script >"$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 98% b
98% 20 2% 3 small" ]
	has '3 frames narrower than 2 % run together in the boxes marked small.' "$dir/a.svg"
}

@test "--max-frames keeps the widest and says what became of the rest" {
	printf '%s\n' 'a;x 50' 'b;y 30' 'c 15' 'd 5' | flamesvg --max-frames 3 >"$dir/a.svg"
	well_formed "$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 50% a
0% 40 50% x
50% 20 30% b
80% 20 20% 2 small
50% 40 30% 1 small" ]
	has 'Drawn: 3 of 6 frames. The others are in the boxes marked small: 50.0 % of the total.' "$dir/a.svg"
	printf '%s\n' 'a 1' | flamesvg --max-frames 0 >"$dir/b.svg"
	[ "$(frames "$dir/b.svg")" = "0% 0 100% all
0% 20 100% 1 small" ]
}

@test "negative values are hatched at their size and no share passes 100 %" {
	flamesvg --no-script >"$dir/a.svg" <<'END'
{"tree":1,"sample_types":[{"type":"samples","unit":"count"}],"frames":[{"name":"a"},{"name":"b"}],"nodes":{"parent":[-1,0,0],"frame":[0,0,1],"self":[[0,-1,3]]}}
END
	well_formed "$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 25% a
25% 20 75% b" ]
	grep -q 'class="b neg"' "$dir/a.svg"
	grep -q '>−a</text>' "$dir/a.svg"
	grep -q '1 frame has a negative value' "$dir/a.svg"
}

@test "a differential document: widths, parts and words" {
	flamesvg --no-script >"$dir/a.svg" <<'END'
{"tree":1,"sample_types":[{"type":"samples","unit":"count"},{"type":"samples","unit":"count"}],"labels":{"event":"cpu"},"frames":[{"name":"down"},{"name":"gone"},{"name":"new"},{"name":"same"},{"name":"up"}],"nodes":{"parent":[-1,0,0,0,0,0],"frame":[0,0,1,2,3,4],"self":[[0,40,10,0,30,20],[0,20,0,10,30,40]]},"sides":[{"name":"base","labels":{"run":"a"}},{"name":"target","labels":{"run":"b"}}],"norm":"none","scale":[1]}
END
	well_formed "$dir/a.svg"
	# Own widths: 40, 10, 10, 30, 40 of 130.
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 30.77% down
30.77% 20 7.69% gone
38.46% 20 7.69% new
46.15% 20 23.08% same
69.23% 20 30.77% up" ]
	grep -q '<rect class="b hless" width="100%" height="19" rx="2"/><rect class="o d0" width="50%"' "$dir/a.svg"
	grep -q '<rect class="b more" width="100%" height="19" rx="2"/><rect class="o d8" width="50%" height="19" rx="2"/><rect class="tick" x="50%"' "$dir/a.svg"
	grep -q 'class="b gone"' "$dir/a.svg"
	grep -q '<rect class="b d4"' "$dir/a.svg"
	has '▼ −50 %' "$dir/a.svg"
	has '▲ +100 %' "$dir/a.svg"
	grep -q 'base a → target b · not scaled' "$dir/a.svg"
}

@test "documents that agree are one; others are switchable, cpu first" {
	{
		stackmerge --event wall <<<'main;wait 7'
		stackmerge --event cpu <<<'main;work 3'
		stackmerge --event cpu <<<'main;work 4'
		stackmerge --event cpu --label service=other <<<'main;other 4'
	} >"$dir/t"
	flamesvg "$dir/t" >"$dir/a.svg"
	well_formed "$dir/a.svg"
	xmllint --xpath 'string(//*[local-name()="metadata"])' "$dir/a.svg" >"$dir/j"
	[ "$(jq -c '[.docs[].name]' "$dir/j")" = '["cpu","cpu · other","wall"]' ]
	[ "$(jq -c '[.docs[] | .self[0] | add]' "$dir/j")" = '[7,4,7]' ]
	flamesvg -e wall "$dir/t" >"$dir/w.svg"
	frames "$dir/w.svg" | grep -q 'wait$'
	run -2 --separate-stderr flamesvg -e gc "$dir/t"
	[ "$stderr" = "flamesvg: no document of event 'gc'" ]
	run -0 --separate-stderr flamesvg --no-script "$dir/t"
	[ "$stderr" = "flamesvg: warning: 2 more documents (cpu, wall) need script to be seen" ]
}

@test "-t says what is shown first; another name for it is an error" {
	t='{"tree":1,"sample_types":[{"type":"objects","unit":"count"},{"type":"space","unit":"bytes"}],"frames":[{"name":"a"},{"name":"b"}],"nodes":{"parent":[-1,0,0],"frame":[0,0,1],"self":[[0,3,1],[0,100,300]]}}'
	flamesvg <<<"$t" >"$dir/a.svg"
	frames "$dir/a.svg" | grep -q '^25% 20 75% b$'
	flamesvg -t objects <<<"$t" >"$dir/a.svg"
	frames "$dir/a.svg" | grep -q '^0% 20 75% a$'
	run -2 --separate-stderr flamesvg -t cpu <<<"$t"
	[ -z "$output" ]
	[[ $stderr = "flamesvg: "*cpu* ]]
}

@test "nothing to draw is said in 96 px, status 3" {
	t='{"tree":1,"sample_types":[{"type":"samples","unit":"count"},{"type":"cpu","unit":"nanoseconds"}],"default":1,"frames":[{"name":"a"}],"nodes":{"parent":[-1,0],"frame":[0,0],"self":[[0,253],[0,0]]}}'
	run -3 --separate-stderr flamesvg -O "$dir/a.svg" - <<<"$t"
	well_formed "$dir/a.svg"
	grep -q 'height="96"' "$dir/a.svg"
	grep -q 'No samples for cpu/nanoseconds.' "$dir/a.svg"
	grep -q 'This profile also has samples/count: 253.' "$dir/a.svg"
	[ "$stderr" = "flamesvg: warning: no samples to draw" ]
}

@test "selection goes before the picture" {
	printf '%s\n' 'a;x 1' 'b;x 2' 'b;y 3' >"$dir/f"
	flamesvg --focus x --ignore '^a$' --hide '^b$' "$dir/f" >"$dir/a.svg"
	[ "$(frames "$dir/a.svg")" = "0% 0 100% all
0% 20 100% x" ]
	run -3 flamesvg -q --focus nothing "$dir/f"
	# Trees of a stream keep apart what their labels keep apart.
	{ stackmerge --label service=a "$dir/f"; stackmerge --label service=b "$dir/f"; } |
		flamesvg --focus x >"$dir/b.svg"
	xmllint --xpath 'string(//*[local-name()="metadata"])' "$dir/b.svg" | jq -e '[.docs[].name] == ["samples · a", "samples · b"]'
}

@test "--embed is small, --no-script has no script" {
	flamesvg --embed tests/fixtures/svg/reg1.folded >"$dir/a.svg"
	well_formed "$dir/a.svg"
	! grep -qE '<script|<metadata|Open the picture' "$dir/a.svg"
	[ "$(wc -c <"$dir/a.svg")" -lt 60000 ]
	perl -e 'print join(";", map { "f$_" } 1 .. 30), " 1\n"' | flamesvg --embed >"$dir/b.svg"
	[ "$(frames "$dir/b.svg" | wc -l)" = 12 ]
	flamesvg --no-script tests/fixtures/svg/reg1.folded >"$dir/c.svg"
	! grep -qE '<script|<metadata|Open the picture' "$dir/c.svg"
}

@test "--theme writes one set of colours, --colour fills by what is said" {
	echo 'main;a.b.C.d 1' >"$dir/f"
	flamesvg --theme dark --no-script "$dir/f" >"$dir/a.svg"
	! grep -q 'prefers-color-scheme' "$dir/a.svg"
	grep -q -- '--paper:#14100e' "$dir/a.svg"
	! grep -q -- '--paper:#fbfaf7' "$dir/a.svg"
	flamesvg --colour package --no-script "$dir/f" | grep -q 'class="b p[0-9]'
	flamesvg --colour kind --no-script "$dir/f" | grep -q 'class="b k-none'
	run -2 --separate-stderr flamesvg --colour pink "$dir/f"
	[ "$stderr" = "flamesvg: --colour: 'pink' is none of name, kind, package" ]
}

@test "kinds colour by themselves; an inlined call touches its caller" {
	printf '%s\n' 'main;a_[j];b_[i];c_[k] 1' | flamesvg --no-script >"$dir/a.svg"
	grep -q 'y="59" width="100%" height="20"><title>b' "$dir/a.svg"
	grep -q 'class="b k-kernel' "$dir/a.svg"
}

@test "values whose sizes do not fit 63 bits are an error, not a wrap" {
	t='{"tree":1,"sample_types":[{"type":"samples","unit":"count"}],"frames":[{"name":"a"},{"name":"b"}],"nodes":{"parent":[-1,0,0],"frame":[0,0,1],"self":[[0,-9223372036854775808,1]]}}'
	run -2 --separate-stderr flamesvg - <<<"$t"
	[ -z "$output" ]
	[[ $stderr = "flamesvg: the values of sample type 0 add up"* ]]
	flamesvg - <<<"${t/-9223372036854775808/9223372036854775806}" >"$dir/a.svg"
	well_formed "$dir/a.svg"
	frames "$dir/a.svg" | grep -q '^0% 20 100% a$'
}

@test "the pipeline of the manual: merge, select, draw" {
	printf '%s\n' 'main;handle;db 3' 'main;idle 1' >"$dir/a.folded"
	printf '%s\n' 'main;handle;db 2' >"$dir/b.folded"
	stackmerge "$dir/a.folded" "$dir/b.folded" | flamesvg --focus '^handle$' >"$dir/handle.svg"
	[ "$(frames "$dir/handle.svg")" = "0% 0 100% all
0% 20 100% main
0% 40 100% handle
0% 60 100% db" ]
}

@test "a profile is drawn as it comes" {
	flamesvg -O "$dir/out.svg" --title "checkout, 14:00" tests/fixtures/svg/reg1.folded
	well_formed "$dir/out.svg"
	grep -q '>checkout, 14:00</text>' "$dir/out.svg"
	gzip -c tests/fixtures/svg/reg1.folded | flamesvg --title "checkout, 14:00" | cmp - "$dir/out.svg"
}

@test "facts of many parts are cut in one pass" {
	awk 'BEGIN {
		printf "{\"tree\":1,\"sample_types\":[{\"type\":\"samples\",\"unit\":\"count\"}],"
		printf "\"labels\":{\"x\":\""
		for (i = 0; i < 200000; i++) printf " · "
		print "\"},\"frames\":[{\"name\":\"a\"}],"
		print "\"nodes\":{\"parent\":[-1,0],\"frame\":[0,0],\"self\":[[0,1]]}}"
	}' | tr -d '\n' >"$dir/parts.json"
	timeout 20 flamesvg "$dir/parts.json" >"$dir/parts.svg"
	well_formed "$dir/parts.svg"
}

@test "names of many documents with many labels take no time to tell apart" {
	awk 'BEGIN {
		for (d = 0; d < 300; d++) {
			printf "{\"tree\":1,\"sample_types\":[{\"type\":\"samples\",\"unit\":\"count\"}],"
			printf "\"labels\":{\"event\":\"e\",\"one\":\"%d\"", d
			for (i = 0; i < 1000; i++) printf ",\"x%d\":\"v\"", i
			printf "},\"frames\":[{\"name\":\"a\"}],"
			print "\"nodes\":{\"parent\":[-1,0],\"frame\":[0,0],\"self\":[[0,1]]}}"
		}
	}' >"$dir/labels.json"
	timeout 20 flamesvg "$dir/labels.json" >"$dir/labels.svg"
	grep -q '"name":"e · 7"' "$dir/labels.svg"
}

@test "values of a side that fit only when scaled are refused" {
	local values='[0,4611686018427387904,4611686018427387904]'
	printf '%s' '{"tree":1,"sample_types":[{"type":"n","unit":"count"},' \
		'{"type":"n","unit":"count"}],"sides":[{"name":"base"},' \
		'{"name":"target"}],"norm":"share","scale":[0.0000000001],' \
		'"frames":[{"name":"a"},{"name":"b"}],' \
		'"nodes":{"parent":[-1,0,0],"frame":[0,0,1],' \
		"\"self\":[[0,1,1],$values]}}" >"$dir/scaled.json"
	for frames in 0 1 2; do
		run flamesvg --max-frames "$frames" "$dir/scaled.json"
		[ "$status" -eq 2 ]
		[[ $output == *"add up to more than 63 bits"* ]]
	done
}

@test "words of the command line that are not UTF-8 are put right" {
	for option in "" --embed; do
		# shellcheck disable=SC2086 # none is no argument
		echo 'a 1' | flamesvg $option --title $'x\xffy' --subtitle $'\xed\xa0\x80' \
			>"$dir/words.svg"
		well_formed "$dir/words.svg"
		grep -q '>x�y</title>' "$dir/words.svg"
	done
}

@test "documents of too many different labels are refused" {
	awk 'BEGIN {
		for (d = 0; d < 300; d++) {
			printf "{\"tree\":1,\"sample_types\":[{\"type\":\"n\",\"unit\":\"count\"}],"
			printf "\"labels\":{\"event\":\"e\""
			for (i = 0; i < 300; i++) printf ",\"x%d-%d\":\"v\"", d, i
			printf "},\"frames\":[{\"name\":\"a\"}],"
			print "\"nodes\":{\"parent\":[-1,0],\"frame\":[0,0],\"self\":[[0,1]]}}"
		}
	}' >"$dir/others.json"
	run timeout 20 flamesvg "$dir/others.json"
	[ "$status" -eq 2 ]
	[[ $output == *"more than 1024 different labels" ]]
}
