#!/bin/sh
# check-web.sh: drive a headless browser over the pictures of the programs in $BUILD.
# Brings chromium and playwright-core; the last line is the runner's counts.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
scripts/deps.sh web
web=$BUILD/web
mkdir -p "$web"
if ! cmp -s tests/web/package-lock.json "$web/package-lock.json" || [ ! -d "$web/node_modules" ]; then
	cp tests/web/package.json tests/web/package-lock.json "$web"
	(cd "$web" && npm ci --ignore-scripts --no-audit --no-fund --silent)
	# npm may note where it fetched from: what is compared is what is committed.
	cp tests/web/package-lock.json "$web"
fi
BUILD=$(cd "$BUILD" && pwd)
NODE_PATH=$BUILD/web/node_modules
export BUILD NODE_PATH
status=0
node --test --test-reporter=spec --test-reporter-destination=stdout \
	--test-reporter=tap --test-reporter-destination="$web/tap" tests/web/*.test.js || status=$?
sed -n 's/^# \(tests\|pass\|fail\|skipped\) /\1 /p' "$web/tap" | paste -sd' '
exit "$status"
