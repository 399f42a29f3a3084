#!/usr/bin/env bats
# jfr2tree --follow: recordings that go on, grown here by hand and by a JVM.
load helper

# A chunk of the JDK (the only one of its recording, so the last), not the last, and one
# of async-profiler; and how many documents the first and the last make.
chunks() {
	zcat "$FIX/jfr/jdk17-small.jfr.gz" >last
	cp last jdk
	poke jdk 67 '\001'
	zcat "$FIX/jfr/ap-small-multi.jfr.gz" >ap
	n=$(jfr2tree jdk | wc -l)
	m=$(jfr2tree ap | wc -l)
}

# poke FILE OFFSET BYTES: write over what is there.
poke() {
	printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# follow ARGUMENTS: in the background, into out and err.
follow() {
	jfr2tree "$@" >out 2>err 3>&- &
	pid=$!
}

# until COMMAND: within ten seconds it is true.
soon() {
	for _ in $(seq 100); do
		"$@" && return 0
		sleep 0.1
	done
	echo "not so within ten seconds: $*" >&2
	return 1
}

lines() {
	[ "$(wc -l <out)" -ge "$1" ]
}

opened() {
	find "/proc/$pid/fd" -lname "*$1" 2>/dev/null | grep -q .
}

# ends STATUS: the follower ends, by itself or because it was told to.
ends() {
	local status=0
	soon gone
	wait "$pid" || status=$?
	[ "$status" -eq "$1" ] || { echo "status $status" >&2; cat err >&2; false; }
}

gone() {
	! kill -0 "$pid" 2>/dev/null
}

@test "a file that grows: each chunk when it is whole, and once" {
	chunks
	jfr2tree jdk >want
	cp jdk growing
	follow --follow growing
	soon lines "$n"
	cmp out want
	# Half of a chunk is none.
	jfr2tree ap >>want
	head -c 300000 ap >>growing
	sleep 0.6
	[ "$(wc -l <out)" -eq "$n" ]
	tail -c +300001 ap >>growing
	soon lines $((n + m))
	cmp out want
	# What async-profiler is still writing has no offsets.
	cp ap open
	poke open 16 '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	cat open >>growing
	sleep 0.6
	kill -TERM "$pid"
	ends 0
	cmp out want
	[ ! -s err ]
}

@test "a file ends with the last chunk of the recording" {
	chunks
	cat jdk last >whole
	run -0 --separate-stderr timeout 20 jfr2tree --follow whole
	[ "$output" = "$(jfr2tree jdk && jfr2tree last)" ]
	[ -z "$stderr" ]
	# Selection and outputs are as ever.
	run -0 timeout 20 jfr2tree -e cpu --by thread -o top --rows 1 --follow last
	[ "$output" = "$(jfr2tree -e cpu --by thread -o top --rows 1 last)" ]
	timeout 20 jfr2tree -e cpu,alloc,lock -o pb --follow whole | stackmerge -o json >got
	jfr2tree -e cpu,alloc,lock whole | stackmerge | jq -c '[.labels.event, [.nodes.self[] | add]]' |
		diff - <(jq -c '[.labels.event, [.nodes.self[] | add]]' got)
}

@test "a JVM that was killed before is not waited for" {
	chunks
	repo=2026_11_30_12_00_00_2147483647
	mkdir "$repo"
	poke jdk 64 '\003'
	cp jdk "$repo/2026_11_30_12_00_10.jfr"
	# It may yet be one that cannot be seen from here.
	follow --follow "$repo"
	sleep 0.6
	[ ! -s out ]
	kill -TERM "$pid"
	ends 0
	touch -d '1 minute ago' "$repo/2026_11_30_12_00_10.jfr"
	follow --follow "$repo"
	ends 3
	lines "$n"
	[[ $(cat err) == *"chunk was still being written; read up to its last flush" ]]
	# Before JDK 14 chunks were not flushed: nothing tells.
	poke "$repo/2026_11_30_12_00_10.jfr" 8 '\0\0\0\0\0\0\0\0'
	poke "$repo/2026_11_30_12_00_10.jfr" 64 '\0'
	touch -d '1 minute ago' "$repo/2026_11_30_12_00_10.jfr"
	follow --follow "$repo"
	sleep 0.6
	! gone
	kill -TERM "$pid"
	ends 0
}

@test "a repository: in progress, rewritten, complete, vanished, the last" {
	chunks
	repo=base/2026_11_30_12_00_00_2147483647
	mkdir -p "$repo"
	jfr2tree jdk >one
	cp jdk "$repo/2026_11_30_12_00_00.jfr"
	follow --follow base
	soon lines "$n"
	cmp out one
	# In progress at its third flush; then the header is being written.
	cp jdk next
	poke next 64 '\003'
	mv next "$repo/2026_11_30_12_00_10.jfr"
	soon opened 12_00_10.jfr
	sleep 0.4
	poke "$repo/2026_11_30_12_00_10.jfr" 64 '\0377'
	sleep 0.4
	cmp out one
	poke "$repo/2026_11_30_12_00_10.jfr" 64 '\0'
	soon lines $((2 * n))
	cat one one | cmp - out
	# Removed before it is complete.
	cp jdk next
	poke next 64 '\004'
	exec 5<>next
	mv next "$repo/2026_11_30_12_00_20.jfr"
	soon opened 12_00_20.jfr
	rm "$repo/2026_11_30_12_00_20.jfr"
	printf '\0' | dd of=/dev/fd/5 bs=1 seek=64 conv=notrunc status=none
	exec 5>&-
	soon lines $((3 * n))
	# A file with nothing in it yet, other files, and the end.
	: >"$repo/2026_11_30_12_00_30.jfr"
	echo text >"$repo/notes.txt"
	mkfifo "$repo/pipe.jfr"
	sleep 0.4
	cp last "$repo/2026_11_30_12_00_30.jfr"
	rm "$repo/pipe.jfr"
	ends 0
	cat one one one one | cmp - out
	[ ! -s err ]
}

@test "what is there at the start comes first, the oldest first" {
	chunks
	repo=2026_11_30_12_00_00_2147483647
	mkdir "$repo"
	# By their start, which names need not tell: the hour is of local time.
	cp last "$repo/2026_11_30_01_00_00.jfr"
	cp jdk "$repo/2026_11_30_02_00_00.jfr"
	cp ap "$repo/2026_11_30_03_00_00.jfr"
	poke "$repo/2026_11_30_02_00_00.jfr" 32 '\001'
	poke "$repo/2026_11_30_03_00_00.jfr" 32 '\002'
	run -0 --separate-stderr timeout 20 jfr2tree --follow "$repo/"
	[ "$(jq -c .start_ns <<<"$output" | uniq | wc -l)" = 3 ]
	jq .start_ns <<<"$output" | sort -cn
}

@test "the folder is gone: the active chunk up to its last flush, status 3" {
	chunks
	repo=2026_11_30_12_00_00_2147483647
	mkdir "$repo"
	cp jdk "$repo/a.jfr"
	cp jdk "$repo/b.jfr"
	poke "$repo/b.jfr" 64 '\007'
	echo 'what is not flushed' >>"$repo/b.jfr"
	jfr2tree "$repo/a.jfr" >want
	jfr2tree "$repo/b.jfr" >>want 2>warned || [ $? -eq 3 ]
	follow --follow "$repo"
	soon lines "$n"
	soon opened b.jfr
	rm -r "$repo"
	ends 3
	cmp out want
	diff err warned
}

@test "the JVM is gone: the same" {
	chunks
	sleep 100 3>&- &
	jvm=$!
	repo=2026_11_30_12_00_00_$jvm
	mkdir "$repo"
	cp jdk "$repo/a.jfr"
	poke "$repo/a.jfr" 64 '\001'
	follow --follow "$repo"
	soon opened a.jfr
	sleep 0.4
	[ ! -s out ]
	kill "$jvm"
	ends 3
	[ "$(wc -l <out)" -eq "$n" ]
	[ "$(cat err)" = "jfr2tree: warning: $repo/a.jfr: byte 0: chunk was still being written; read up to its last flush" ]
	# Before the first flush there is nothing.
	sleep 100 3>&- &
	jvm=$!
	repo=2026_11_30_12_00_00_$jvm
	mkdir "$repo"
	cp jdk "$repo/a.jfr"
	head -c 68 jdk >"$repo/b.jfr"
	poke "$repo/b.jfr" 8 '\0\0\0\0\0\0\0\0104\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	poke "$repo/b.jfr" 64 '\001'
	follow --follow "$repo"
	soon lines "$n"
	kill "$jvm"
	ends 3
	[ "$(wc -l <out)" -eq "$n" ]
	[ "$(cat err)" = "jfr2tree: $repo/b.jfr: byte 0: unfinished chunk" ]
}

@test "a chunk that was given up is taken when a later one is complete" {
	chunks
	mkdir repo
	cp jdk repo/a.jfr
	poke repo/a.jfr 64 '\007'
	cp last repo/b.jfr
	run -3 --separate-stderr timeout 20 jfr2tree --follow repo
	[ "${#lines[@]}" -eq $((2 * n)) ]
	[[ $stderr == *"repo/a.jfr: byte 0: chunk was still being written"* ]]
}

@test "signals: status 0, nothing lost that was complete; idle, it costs nothing" {
	chunks
	for signal in INT TERM; do
		rm -rf repo
		mkdir repo
		cp jdk repo/a.jfr
		cp jdk repo/b.jfr
		poke repo/b.jfr 64 '\002'
		follow --follow repo
		soon lines "$n"
		before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
		sleep 1
		after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
		[ $((after - before)) -le 2 ]
		kill -"$signal" "$pid"
		ends 0
		[ "$(wc -l <out)" -eq "$n" ]
		[ ! -s err ]
	done
}

@test "nobody reads on, or nothing can be written" {
	chunks
	run -0 timeout 20 bash -c 'jfr2tree --follow jdk | head -n 1 | wc -l'
	[ "$output" = 1 ]
	cat jdk jdk jdk >three
	run -2 --separate-stderr timeout 20 bash -c 'jfr2tree --follow three >/dev/full'
	[[ $stderr == *"No space left on device"* ]]
}

@test "what is no chunk is named, and the others are read" {
	chunks
	mkdir repo
	yes text | head -c 100 >repo/a.jfr
	head -c 68 ap >repo/b.jfr
	poke repo/b.jfr 4 '\0\0\0\011'
	cp last repo/c.jfr
	run -3 --separate-stderr timeout 20 jfr2tree --follow repo
	[ "$output" = "$(jfr2tree last)" ]
	[[ $stderr == *"jfr2tree: repo/a.jfr: byte 0: not a JFR file"* ]]
	[[ $stderr == *"jfr2tree: repo/b.jfr: byte 0: JFR of a version that is not supported"* ]]
	run -2 --separate-stderr timeout 20 jfr2tree --strict --follow repo
	# In a file that is its end.
	(cat jdk; yes text | head -c 100) >file
	run -3 --separate-stderr timeout 20 jfr2tree --follow file
	[ "$stderr" = "jfr2tree: file: byte $(stat -c %s jdk): no chunk begins here" ]
	run -2 --separate-stderr timeout 20 jfr2tree --follow repo/a.jfr
	[ "${stderr_lines[0]}" = "jfr2tree: repo/a.jfr: byte 0: not a JFR file" ]
	# Damage within a chunk is named by its place in the file.
	cp jdk odd
	poke odd 68 '\0'
	cat jdk odd last >file
	run -3 --separate-stderr timeout 20 jfr2tree --follow file
	[[ $stderr == *"file: byte $(($(stat -c %s jdk) + 68)): event of impossible size"* ]]
}

@test "settings of the first chunk hold for those that follow" {
	need_shared
	f=$SHARED/fixtures/own/jfr/ap-small-chunks.jfr
	cp "$f" growing
	sums='[.labels.event, ([.nodes.self[] | add])]'
	jfr2tree "$f" | jq -c "$sums" >want
	follow --follow growing
	whole=$(jfr2tree --summary -o json "$f" | jq '.chunks | length')
	[ "$whole" -eq 4 ]
	soon lines 8
	kill "$pid"
	ends 0
	stackmerge out | jq -c "$sums" | diff want -
	[ "$(jq -c 'select(.labels.event == "cpu") | .period.value' out | uniq | wc -l)" = 1 ]
}

@test "what cannot be followed is said" {
	chunks
	mkdir -p empty two/2026_11_30_12_00_00_1 two/2026_11_30_12_00_00_2
	mkfifo pipe
	while IFS='|' read -r arguments said; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr timeout 20 jfr2tree $arguments
		[ "$stderr" = "jfr2tree: $said" ] || { echo "$stderr" >&2; false; }
		[ -z "$output" ]
	done <<'ROWS'
--follow nowhere|nowhere: No such file or directory
--follow -|-: No such file or directory
--follow empty|empty: no repository of a recorder: neither chunks (*.jfr) nor a folder of them
--follow two|two: holds 2 repositories of recorders; name one
--follow pipe|pipe: neither a folder nor a file that can grow
--follow jdk ap|--follow takes no other files, such as 'ap'
--follow jdk -O file|--follow writes as chunks come; a file of -O appears at the end
--follow jdk -o folded|--follow writes a document for each chunk; -o folded and -o pprof hold one
--follow jdk -o pprof|--follow writes a document for each chunk; -o folded and -o pprof hold one
--follow jdk --summary|--follow makes no --summary
--follow jdk -e leak|--follow cannot tell leaks: what is given back in a later chunk is none
--follow jdk --from +1s|--follow sees neither start nor end of the recording, from which --from and --to count
--follow jdk --to -1s|--follow sees neither start nor end of the recording, from which --from and --to count
--follow jdk -i pprof|--follow takes recordings alone, no -i
ROWS
}

@test "a JVM: each chunk, the last when it ends" {
	command -v java >/dev/null || skip "no java here"
	cat >Load.java <<'JAVA'
public class Load {
	static volatile Object sink;
	public static void main(String[] a) throws Exception {
		long until = System.currentTimeMillis() + Long.parseLong(a[0]);
		for (int i = 0; System.currentTimeMillis() < until; i++)
			sink = Integer.toString(i).repeat(20);
	}
}
JAVA
	mkdir base
	java -XX:StartFlightRecording=maxage=1m,settings=profile \
		-XX:FlightRecorderOptions=repository="$PWD/base",maxchunksize=1M Load.java 4000 >java.out 2>&1 3>&- &
	jvm=$!
	repository() { compgen -G 'base/*_'"$jvm"'/*.jfr' >/dev/null; }
	soon repository || skip "the JVM records nothing: $(cat java.out)"
	follow -e cpu --follow base
	# A dump ends the chunk, and begins the next.
	sleep 1.5
	jcmd "$jvm" JFR.dump filename="$PWD/dump.jfr" >/dev/null 2>&1 || true
	wait "$jvm"
	ends 0
	lines 1
	! [ -e dump.jfr ] || lines 2
	jq .start_ns out | sort -cn
	# Killed, it leaves the active chunk.
	java -XX:StartFlightRecording=maxage=1m,settings=profile \
		-XX:FlightRecorderOptions=repository="$PWD/base" Load.java 30000 >java.out 2>&1 3>&- &
	jvm=$!
	soon repository
	follow -e cpu --follow base
	flushed() { [ "$(od -An -tu1 -j64 -N1 base/*_"$jvm"/*.jfr)" -ge 2 ]; }
	soon flushed
	sleep 0.5
	kill -KILL "$jvm"
	ends 3
	lines 1
	[[ $(cat err) == *"chunk was still being written; read up to its last flush" ]]
}
