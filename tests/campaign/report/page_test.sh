#!/usr/bin/env bash
# The report in a real browser: writes the sample campaign, reports on it with the built `rankle`,
# and opens the file in headless Chromium (page_test.cjs). Screenshots stay in OUTPUT. Exit code 77
# (skipped) without browser or node.
#
#   page_test.sh RANKLE MAKE_SAMPLE WEB_TOOLS OUTPUT
set -euo pipefail
rankle=$1 make_sample=$2 web=$3 output=$4
here=$(cd "$(dirname "$0")" && pwd)

browser=''
for name in chromium chromium-browser google-chrome; do
  [[ -n $browser ]] || browser=$(command -v "$name" || true)
done
for needed in "${browser:-chromium}" node; do
  if ! command -v "$needed" >/dev/null; then
    echo "skipped: $needed is missing (scripts/install-packages installs it)"
    exit 77
  fi
done

if [[ ! -d $web/node_modules/playwright-core ]]; then
  echo "skipped: $web holds no playwright-core; the test web_install puts it there"
  exit 77
fi

rm -rf "$output"
mkdir -p "$output"
"$make_sample" "$output/soak"
"$rankle" report "$output/soak"
# The same page as a build without npm writes it, and a campaign of which nothing is known yet.
mkdir "$output/fresh"
echo '{"schema": 1, "seed": 3}' >"$output/fresh/config.json"
"$rankle" report "$output/fresh"

NODE_PATH="$web/node_modules" node "$here/page_test.cjs" "$browser" "$output"
