#!/usr/bin/env bash
# docs_commands_test.sh must fail on a wrong document: checked on documents made here.
set -euo pipefail
runner="$(cd "$(dirname "$0")" && pwd)/docs_commands_test.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/build"
fence='```'

# expect EXIT NAME TEXT: runs the runner on a document.
expect() {
  local expected=$1 code=0
  printf '%s\n' "$3" >"$scratch/$2.md"
  "$runner" "$scratch/build" "$scratch/$2.md" >"$scratch/$2.output" 2>&1 || code=$?
  if ((code != expected)); then
    echo "$2: exit code $code, expected $expected"
    cat "$scratch/$2.output"
    exit 1
  fi
}

expect 0 good "<!-- run -->
${fence}sh
test -f README.md
${fence}"
expect 0 promised_exit_code "<!-- run exit=3 -->
${fence}sh
true
exit 3
${fence}"
expect 0 later_blocks_see_earlier_files "<!-- run -->
${fence}sh
echo x > made
${fence}
<!-- run -->
${fence}sh
test -f made
${fence}"
expect 1 failing_command "<!-- run -->
${fence}sh
false
true
${fence}"
expect 1 other_exit_code "<!-- run exit=1 -->
${fence}sh
exit 2
${fence}"
mkdir "$scratch/same"
cp "$scratch/good.md" "$scratch/same/good.md"
"$runner" "$scratch/build" "$scratch/good.md" "$scratch/same/good.md" >"$scratch/both.output" || {
  echo 'two documents of one name do not go together'
  exit 1
}
expect 1 nothing_marked "${fence}sh
true
${fence}"
test ! -e "$(dirname "$runner")/../../made"
echo '7 passed, 0 failed'
