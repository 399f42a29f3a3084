#!/bin/sh
# deps.sh PART...: install what is missing for build, test, web, lint, fuzz, bytes, bench with
# apt, as root or through sudo. Quiet and quick when nothing is missing.
set -eu
packages() {
	case $1 in
	build) echo gcc make pkg-config protobuf-c-compiler libprotobuf-c-dev zlib1g-dev \
		libzstd-dev libxxhash-dev libc6-dev ;;
	test) echo bats perl jq libjansson-dev libxml2-utils mandoc zstd time ;;
	web) echo chromium nodejs npm fonts-dejavu-core bats ;;
	lint) echo clang-format clang-tidy cppcheck mandoc shellcheck gcovr ;;
	fuzz) echo clang libclang-rt-14-dev ;;
	bytes) echo clang locales ;;
	bench) echo python3 openjdk-17-jdk-headless ;;
	*) echo "deps.sh: no part is called $1" >&2; exit 2 ;;
	esac
}
want=
for part in "$@"; do
	want="$want $(packages "$part")"
done
missing=
for p in $want; do
	case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
	installed) ;;
	*)
		# A tool that came another way (node, npm, a JDK) serves as well.
		case $p in
		nodejs) command -v node >/dev/null 2>&1 && continue ;;
		npm) command -v npm >/dev/null 2>&1 && continue ;;
		openjdk-*) command -v javac >/dev/null 2>&1 && continue ;;
		esac
		missing="$missing $p" ;;
	esac
done
[ -n "$missing" ] || exit 0
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
if [ -n "$as_root" ] && ! command -v sudo >/dev/null 2>&1; then
	echo "deps.sh: missing:$missing (install them as root: apt-get install$missing)" >&2
	exit 2
fi
echo "deps.sh: installing$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of packages, and sudo or nothing
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
	cat "$log" >&2
	exit 2
fi
