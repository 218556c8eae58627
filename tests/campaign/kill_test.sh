#!/usr/bin/env bash
# Kills `rankle stress` at random moments, with kill -9, and goes on with --resume: no finding that
# was reported may be lost or torn, each worker may repeat its running case and no other, and nobody
# may be left behind.
#
#   kill_test.sh RANKLE STUB_WORKER [KILLS] [SEED]
#
# Every other kill hits a worker first. The stub worker logs the cases that it begins.
set -euo pipefail

rankle=$1 stub=$2 kills=${3:-8} RANDOM=${4:-20261}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$rankle" "$scratch/rankle"
cp "$stub" "$scratch/rankle-worker-sim"
export RANKLE_STUB_LOG=$scratch/begun
jobs=2

fail() {
  echo "kill_test: $*" >&2
  exit 1
}

# stress TARGET DIR OPTION...: appends its events to $scratch/events. A line that a kill cut short
# was not reported.
stress() {
  local target=$1 dir=$2
  shift 2
  exec "$scratch/rankle" stress --dir "$dir" --target "$target" --seed 7 --jobs "$jobs" --resume \
    --no-canary --memory 256M --deadline 2s --minimize-time 1s --json "$@" \
    >>"$scratch/events" 2>"$scratch/err" </dev/null
}

workers_of() { pgrep -P "$1" || true; }

# kill_often TARGET DIR
kill_often() {
  local i pid worker
  for ((i = 0; i < kills; ++i)); do
    stress "$1" "$2" --time 1h &
    pid=$!
    sleep "$(printf '0.%03d' $((RANDOM % 900 + 50)))"
    if ((i % 2)); then
      for worker in $(workers_of "$pid"); do
        kill -9 "$worker" 2>/dev/null || true
        break
      done
      sleep "0.$((RANDOM % 10))"
    fi
    kill -9 "$pid" 2>/dev/null || fail "it had ended by itself: $(tail -n 1 "$scratch/err")"
    wait "$pid" 2>/dev/null || true
    echo >>"$scratch/events"
  done
}

# 1. Findings: a target that passes and three that do not.
kill_often 'stub/?a*' "$scratch/findings"
code=0
(stress 'stub/?a*' "$scratch/findings" --time 3s) || code=$?
((code == 1)) || fail "the last run ended with $code: $(tail -n 1 "$scratch/err")"
told=$(jq -rR 'fromjson? | select(.event == "finding") | .signature' "$scratch/events" | sort -u)
repros=$(jq -rR 'fromjson? | select(.event == "finding") | .repro' "$scratch/events" | sort -u)
[[ -n $repros ]] || fail 'nothing was found'
while read -r repro; do
  jq -e '.schema and .case and .signature' "$repro" >/dev/null ||
    fail "the reported finding $repro is lost or torn"
done <<<"$repros"
# All that is kept was reported, by one run or the next.
while read -r signature; do
  grep -qF -- "$signature" <<<"$told" || fail "$signature was never reported"
done < <(jq -r .signature "$scratch"/findings/findings/*/case.json)
dir=$scratch/findings
for file in "$dir"/{config,state,coverage}.json "$dir"/findings/*/*.json; do
  jq -e . "$file" >/dev/null || fail "$file is torn"
done

# 2. Cases: what a kill repeats, and that it leaves nothing out.
rm -f "$RANKLE_STUB_LOG"
kill_often 'stub/pass' "$scratch/cases"
last=$(jq '[.workers[].next] | max' "$scratch/cases/state.json")
code=0
(stress 'stub/pass' "$scratch/cases" --cases $((last + 40000)) --time 20s) || code=$?
# A worker that was killed while a case ran is a crash that never shows again: flaky.
((code == 0 || code == 5)) || fail "the last run failed: $(tail -n 1 "$scratch/err")"
# The first case of a target is kept, and runs again at every start.
grep -vxFf <(jq -r .seed "$scratch"/cases/corpus/*.json) "$RANKLE_STUB_LOG" >"$scratch/stream"
begun=$(wc -l <"$scratch/stream")
distinct=$(sort -u "$scratch/stream" | wc -l)
repeated=$((begun - distinct))
# A worker that was killed alone has its case tried again.
flaky=$(find "$scratch/cases/flaky" -name case.json | wc -l)
limit=$((kills * (jobs + 1) + flaky * 6))
((repeated <= limit)) || fail "$repeated of $begun cases were repeated, more than $limit"
counted=$(jq .progress.cases "$scratch/cases/state.json")
next=$(jq -c '[.workers[].next]' "$scratch/cases/state.json")
# All numbers below the position of their worker were begun: positions are j, j + 2, ...
expected=$(jq '[.workers | to_entries[] | (.value.next - .key) / 2] | add' \
  "$scratch/cases/state.json")
((distinct + 1 >= expected)) || fail "$distinct cases begun, but the positions are $next"

sleep 0.5
! pgrep -f "$scratch/rankle-worker-sim" >/dev/null || fail 'a worker was left behind'
kept=$(wc -l <<<"$repros")
echo "$kills kills twice: $kept findings kept, $repeated of $begun cases repeated, $counted counted"
