#!/bin/sh
# lint.sh: format, layers, static checks, manuals, scripts. B is the build folder.
cd "$(dirname "$0")/.." || exit 2
B=${B:-build}
status=0
# shellcheck disable=SC2317 # called by name
run() {
	echo "lint: $1"
	shift
	"$@" || status=1
}
# shellcheck disable=SC2016,SC2317 # called by name; the inner shell expands
tidy() {
	printf '%s\n' cmd/*.c libcommon/*/*.c |
		xargs -P "$(nproc)" -n 3 sh -c 'clang-tidy --quiet "$@" -- -std=c17 -D_GNU_SOURCE \
			-DVERSION=\"lint\" -iquote libcommon -iquote "$0/proto" -iquote "$0/gen" \
			-include libcommon/base/banned.h 2>/dev/null' "$B"
}
run layers scripts/layers.sh
run format clang-format --dry-run --Werror cmd/*.c libcommon/*/*.[ch] tests/unit/*.[ch] tests/fuzz/*.[ch] \
	tests/bench/*.c
run cppcheck cppcheck --quiet --enable=warning,portability --error-exitcode=1 --inline-suppr \
	-j "$(nproc)" -I libcommon cmd libcommon
run clang-tidy tidy
run manuals mandoc -Tlint -Wwarning man/*.[157]
run shellcheck shellcheck scripts/*.sh tests/bench/*.sh scripts/completion.bash .ci/run tests/helper.bash
exit $status
