#!/usr/bin/env bash
# `rankle stress` and signals, full disks and mistakes, with a worker that misbehaves on command.
#
#   stress_test.sh RANKLE STUB_WORKER
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$1" "$scratch/rankle"
cp "$2" "$scratch/rankle-worker-sim"

fail() {
  echo "stress_test: $*" >&2
  cat "$scratch/err" >&2
  exit 1
}

# exits_with EXPECTED ARGUMENT...
exits_with() {
  local expected=$1 code=0
  shift
  "$scratch/rankle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
  ((code == expected)) || fail "exit code $code, expected $expected: $*"
}

says() { grep -qF -- "$1" "$scratch/$2" || fail "$2 lacks '$1'"; }

# ends_on SIGNAL COMMAND...: within ten seconds, though its case runs for ever.
ends_on() {
  local signal=$1 code=0 pid began=$SECONDS
  shift
  "$scratch/rankle" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
  pid=$!
  sleep 2
  kill -s "$signal" "$pid"
  wait "$pid" || code=$?
  ((SECONDS - began < 12)) || fail "$1 went on for $((SECONDS - began)) s after SIG$signal"
  ! pgrep -f "$scratch/rankle-worker-sim" >/dev/null || fail 'a worker was left behind'
  echo "$code" >"$scratch/code"
}

stress=(stress --no-canary --target 'stub/pass' --seed 3)

# Signals, while a case runs.
ends_on TERM fuzz --target stub/sleep --deadline 1000s --out "$scratch/out1"
[[ $(<"$scratch/code") == 0 ]] || fail 'fuzz: not exit 0'
says 'interrupted' out
ends_on INT stress --no-canary --target stub/sleep --deadline 1000s --dir "$scratch/sleeping"
[[ $(<"$scratch/code") == 0 ]] || fail 'stress: not exit 0'
jq -e 'select(.event == "end")' "$scratch/sleeping/events.jsonl" >/dev/null || fail 'no end event'

# Limits of time and cases; resuming; the directory's rules.
exits_with 0 "${stress[@]}" --dir "$scratch/a" --cases 50
says '50 cases' out
exits_with 2 "${stress[@]}" --dir "$scratch/a" --cases 60
says '--resume' err
exits_with 2 stress --dir "$scratch/a" --resume --world 4
says '--world' err
exits_with 0 stress --dir "$scratch/a" --resume --no-canary --cases 80
jq -e '.progress.cases >= 80' "$scratch/a/state.json" >/dev/null || fail 'cases of before are lost'
mkdir "$scratch/other" && touch "$scratch/other/thesis"
exits_with 2 "${stress[@]}" --dir "$scratch/other"
exits_with 2 stress --target 'stub/pass'
says '--dir' err

# No planted bug among these targets: nothing would prove that the harness sees.
exits_with 3 stress --target 'stub/pass' --dir "$scratch/canary" --cases 5
says 'there is no canary' err

# Each case in a new process.
exits_with 1 stress --no-canary --target 'stub/?a*' --memory 256M --minimize-time 1s \
  --dir "$scratch/fresh2" --fresh 20 --seed 1
line='fresh processes: [0-9]+ passed, [0-9]+ failed, 0 errors, 0 skipped, 0 timeouts, 0 retries'
grep -Eq "$line" "$scratch/out" || fail 'no line of fresh processes'

# A full disk: files may have 64 KiB, so that a case slot cannot be made; and 1 MiB, so that the
# events cannot grow for ever.
code=0
(ulimit -f 64; "$scratch/rankle" "${stress[@]}" --dir "$scratch/full" --cases 5) \
  >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
((code == 3)) || fail "exit code $code on a full disk"
[[ $(grep -c . "$scratch/err") == 1 ]] || fail 'more than one sentence'
echo 'stress_test: passed'
