#!/bin/bash
# record.sh jdk|ap FILE: a recording of more than 100 MB in several chunks, of LoadGen
# under the JDK's recorder or under async-profiler. Says why on stderr where it cannot.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1 out=$2
SHARED=${FLAMEPIPE_SHARED:-../shared}
ENOUGH=100000000

say() {
	echo "$*" >&2
	exit 1
}

javac=$(command -v javac) || say "no javac (scripts/deps.sh bench installs a JDK)"
java=$(dirname "$javac")/java
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$javac" -d "$tmp/classes" tests/bench/LoadGen.java

# What the profile has, and exceptions, I/O and locks however short, with deep stacks.
jdk_options() {
	local o=settings=profile,dumponexit=true,filename=$tmp/jfr e
	# Nothing of this machine's environment.
	for e in InitialEnvironmentVariable InitialSystemProperty SystemProcess ObjectAllocationSample; do
		o+=,jdk.$e#enabled=false
	done
	for e in JavaExceptionThrow ObjectAllocationInNewTLAB ObjectAllocationOutsideTLAB; do
		o+=,jdk.$e#enabled=true
	done
	for e in FileRead FileWrite SocketRead SocketWrite JavaMonitorEnter JavaMonitorWait ThreadPark ThreadSleep; do
		o+=,jdk.$e#threshold=0ns
	done
	echo "-XX:FlightRecorderOptions=stackdepth=128,maxchunksize=10m,repository=$tmp/repository"
	echo "-XX:StartFlightRecording=$o"
}

ap_options() {
	local ap=${ASYNC_PROFILER:-$SHARED/peers/async-profiler}
	[ -e "$ap/lib/libasyncProfiler.so" ] || say "no async-profiler (ASYNC_PROFILER names its folder)"
	echo "-agentpath:$(realpath "$ap")/lib/libasyncProfiler.so=start,event=ctimer,interval=1ms,wall=20ms,alloc=20k,lock=10us,jfr,chunktime=4s,file=$tmp/jfr"
}

case $kind in
jdk) options=$(jdk_options) seconds=28 ;;
*) options=$(ap_options) seconds=20 ;;
esac
mapfile -t options <<<"$options"
# How much is recorded in a second depends on the machine.
for ((tries = 3; tries; tries--, seconds *= 2)); do
	echo "recording $kind for $seconds s" >&2
	env -i "$java" "${options[@]}" -cp "$tmp/classes" LoadGen "$seconds" 2 40 >"$tmp/log" 2>&1 ||
		{ tail -n 3 "$tmp/log" >&2; say "LoadGen failed"; }
	if [ "$(stat -c %s "$tmp/jfr")" -ge "$ENOUGH" ]; then
		cp "$tmp/jfr" "$out.part"
		mv "$out.part" "$out"
		exit 0
	fi
done
say "LoadGen recorded less than $((ENOUGH / 1000000)) MB"
