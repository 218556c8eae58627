#!/usr/bin/env bash
# What bash and zsh offer for command lines of `rankle`, from the scripts that it prints.
#
#   completion_test.sh RANKLE
set -euo pipefail
folder=$(cd "$(dirname "$1")" && pwd)
export PATH="$folder:$PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rankle completion bash >"$scratch/rankle.bash"
rankle completion zsh >"$scratch/_rankle"
# shellcheck source=/dev/null
source "$scratch/rankle.bash"
passed=0
failed=0

# offers EXPECTED WORD...: what bash offers for the last word, sorted, is EXPECTED
offers() {
  local expected=$1 got
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _rankle
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  if [[ ${got% } == "$expected" ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$*: offers '${got% }' instead of '$expected'"
  fi
}

cd "$scratch"
touch finding.json
offers 'completion' rankle comp
offers 'replay report' rankle rep
offers '--minimize-time' rankle fuzz --mi
offers 'nvidia' rankle fuzz --platform n
offers 'bf16' rankle fuzz --dtype b
offers 'error' rankle fuzz --relaxed-handoff e
offers 'finding.json' rankle replay f
offers 'finding.json' rankle report --out f
offers 'bash zsh' rankle completion ''
offers '' rankle fuzz --seed ''
offers 'allreduce/auto' rankle fuzz --target allreduce/au

# Every command and every option of --help is in both scripts.
commands=$(rankle --help | awk '/^Subcommands:/ {inside = 1; next} /^[A-Z]/ {inside = 0}
  inside && /^  [a-z]/ {print $1}')
for command in $commands; do
  options=$(rankle "$command" --help | grep -oE -- '^  (-h,)?--[a-z-]+' | sed 's/.*--/--/')
  for word in "$command" $options; do
    for script in rankle.bash _rankle; do
      if grep -qE -- "(^|[^a-z-])$word([^a-z-]|$)" "$scratch/$script"; then
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
        echo "$script lacks $word of $command"
      fi
    done
  done
done

# A real zsh, with a key pressed in it.
if command -v zsh >/dev/null; then
  cat >"$scratch/press.zsh" <<'PRESS'
zmodload zsh/zpty
zpty shell zsh -f -i
press() {
  zpty -w -n shell "$1"
  local seen='' part
  for i in {1..100}; do
    zpty -r -t shell part && seen+=$part
    [[ $seen == *$2* ]] && return 0
    sleep 0.1
  done
  print -r -- "no '$2' in: $seen"
  return 1
}
zpty -w shell "PROMPT='> '; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; print rea''dy"
press '' ready || exit 1
press $'rankle compl\t' completion || exit 1
press $'\x15rankle fuzz --relaxed-hando\t' relaxed-handoff || exit 1
press $'err\t' error || exit 1
PRESS
  if timeout 60 zsh -f "$scratch/press.zsh" "$scratch"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
else
  echo 'zsh is missing: its script was not tried'
fi

echo "$passed passed, $failed failed"
((failed == 0))
