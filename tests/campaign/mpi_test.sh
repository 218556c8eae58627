#!/usr/bin/env bash
# One campaign over several real processes under mpirun: each case once, each finding once, and what
# is left of it after a rank was killed.
#
#   mpi_test.sh RANKLE STUB_WORKER [RANKS...]        (default: 4)
set -euo pipefail

if ! command -v mpirun >/dev/null; then
  echo 'mpi_test: no mpirun here'
  exit 0
fi
rankle=$1 stub=$2
shift 2
(($#)) || set -- 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$rankle" "$scratch/rankle"
cp "$stub" "$scratch/rankle-worker-sim"
export RANKLE_STUB_LOG=$scratch/begun

fail() {
  echo "mpi_test: $*" >&2
  tail -n 20 "$scratch/err" >&2
  exit 1
}

# over RANKS ARGUMENT...
over() {
  local ranks=$1 code=0
  shift
  timeout 120 mpirun --allow-run-as-root --oversubscribe -np "$ranks" "$scratch/rankle" stress \
    --no-canary --seed 5 --memory 256M --minimize-time 1s --json "$@" \
    >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
  echo "$code" >"$scratch/code"
}

for ranks in "$@"; do
  rm -f "$RANKLE_STUB_LOG"
  over "$ranks" --dir "$scratch/pass-$ranks" --target stub/pass --cases 400
  [[ $(<"$scratch/code") == 0 ]] || fail "$ranks ranks: exit code $(<"$scratch/code")"
  [[ $(jq 'select(.event == "end") | .cases' "$scratch/out") == 400 ]] || fail 'not 400 cases'
  [[ $(sort -u "$RANKLE_STUB_LOG" | wc -l) == 400 && $(wc -l <"$RANKLE_STUB_LOG") == 400 ]] ||
    fail "$ranks ranks ran $(wc -l <"$RANKLE_STUB_LOG") cases, $(sort -u "$RANKLE_STUB_LOG" |
      wc -l) of them different"
  [[ $(jq '.workers | length' "$scratch/pass-$ranks/state.json") == "$ranks" ]] || fail 'workers'

  over "$ranks" --dir "$scratch/found-$ranks" --target 'stub/?a*' --cases 100
  [[ $(<"$scratch/code") == 1 ]] || fail "$ranks ranks: exit code $(<"$scratch/code")"
  [[ $(jq -r 'select(.event == "finding") | .signature' "$scratch/out" | sort -u | wc -l) == 4 ]] ||
    fail 'not four findings'
  [[ $(jq -r 'select(.event == "finding") | .signature' "$scratch/out" | wc -l) == 4 ]] ||
    fail 'a finding was reported twice'
  while read -r repro; do
    jq -e .signature "$repro" >/dev/null || fail "$repro is not there"
  done < <(jq -r 'select(.event == "finding") | .repro' "$scratch/out")
  echo "$ranks ranks: 400 cases once, 4 findings once"
done

# mpirun ends all ranks when one dies. The campaign goes on from there.
over 3 --dir "$scratch/killed" --target stub/pass --time 60s &
mpirun=$!
sleep 4
victim=$(pgrep -f "$scratch/rankle stress" | tail -n 1)
kill -9 "$victim" || fail 'no rank to kill'
wait "$mpirun" || true
before=$(jq .progress.cases "$scratch/killed/state.json")
over 3 --dir "$scratch/killed" --resume --time 1s
[[ $(<"$scratch/code") == 0 ]] || fail "resuming: exit code $(<"$scratch/code")"
after=$(jq .progress.cases "$scratch/killed/state.json")
((after >= before)) || fail "$after cases after resuming, $before before"
! pgrep -f "$scratch/rankle-worker-sim" >/dev/null || fail 'a worker was left behind'
echo 'mpi_test: passed'
