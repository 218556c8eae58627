#!/usr/bin/env bash
# docs/ci.md shows the workflow that examples/ holds, and the workflow uses no option that `rankle`
# does not have.
#
#   ci_document_test.sh RANKLE
set -euo pipefail
rankle=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
example="$root/examples/github-workflow.yml"
shown=$(awk '/^```yaml$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' "$root/docs/ci.md")
held=$(grep -v '^# ' "$example")
if [[ $shown != "$held" ]]; then
  echo 'docs/ci.md and examples/github-workflow.yml differ:'
  diff <(echo "$shown") <(echo "$held")
  exit 1
fi

# One line for each command, its continuation lines joined.
commands=$(tr '\n' ' ' <"$example" | sed 's/ - /\n/g' | grep -oE 'rankle (smoke|stress|report) .*')
checked=0
while read -r _ command rest; do
  help=$("$rankle" "$command" --help)
  while read -r option; do
    grep -qE -- "^ +(-h,)?$option( |$)" <<<"$help" ||
      { echo "the workflow uses $option of $command, which does not exist"; exit 1; }
    checked=$((checked + 1))
  done < <(grep -oE -- '--[a-z-]+' <<<"$rest")
done <<<"$commands"
((checked >= 10)) || { echo "only $checked options were looked at"; exit 1; }
echo "$checked passed, 0 failed"
