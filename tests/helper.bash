# Loaded by every bats file: the programs first on the path, a scratch folder, golden.
bats_require_minimum_version 1.5.0

PROJECT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PROJECT/$BUILD ;; esac
PATH=$BUILD:$PATH
# shellcheck disable=SC2034 # for the files that load this
FIX=$PROJECT/tests/fixtures
# Recordings that may not be kept here; tests that need them skip without.
SHARED=${FLAMEPIPE_SHARED:-$PROJECT/../shared}
export LC_ALL=C
unset FLAMEPIPE_HASH_SEED

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# golden NAME: standard input equals tests/golden/NAME; REGOLD=1 rewrites it.
golden() {
	local file=$PROJECT/tests/golden/$1
	if [ -n "${REGOLD:-}" ]; then
		mkdir -p "$(dirname "$file")"
		cat >"$file"
	else
		diff -u "$file" -
	fi
}

need_shared() {
	[ -d "$SHARED/fixtures" ] || skip "the shared fixtures are not here"
}
