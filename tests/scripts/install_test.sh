#!/usr/bin/env bash
# `cmake --install` into an empty folder, which is then moved and made the only place to run from:
# worker, targets, corpus, sources, completion and documents are found there.
#
#   install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset RANKLE_TARGET_DIR
passed=0

# check NAME COMMAND...: the command's output is in $scratch/out
check() {
  local name=$1
  shift
  if ! "$@" >"$scratch/out" 2>&1; then
    echo "$name: failed: $*"
    cat "$scratch/out"
    exit 1
  fi
  passed=$((passed + 1))
}

# ends_with CODE COMMAND...
ends_with() {
  local expected=$1 code=0
  shift
  "$@" || code=$?
  ((code == expected)) || { echo "exit code $code, expected $expected"; return 1; }
}

check 'installs' cmake --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/second place"
prefix="$scratch/second place"
cd "$scratch"
rankle="$prefix/bin/rankle"
# A link to it, as a package manager would make.
mkdir bin && ln -s "$rankle" bin/rankle

check 'says its version' bin/rankle --version
check 'lists targets' bin/rankle list
grep -q '^allreduce/two_stage_tail' out
check 'fuzzes' bin/rankle fuzz --target 'allreduce/two_stage_tail' --cases 20 --seed 1
canary='allreduce/two_stage_uniform@divergent_barrier'
check 'finds the planted bug' ends_with 1 bin/rankle fuzz --target "$canary" --seed 1 --time 30s \
  --max-findings 1 --minimize-time 1s --out found
check 'replays it' ends_with 1 bin/rankle replay found/*.json
check 'replays the corpus that came with it' bin/rankle replay \
  "$prefix/share/rankle/corpus/two-stage-tail/tail-65-packs-w4.json" --iterations 2
check 'has the sources for explanations' test -f "$prefix/share/rankle/kernels/signal.h"
check 'has completion for bash' bash -n "$prefix/share/bash-completion/completions/rankle"
check 'has completion for zsh' grep -q '^#compdef rankle' "$prefix/share/zsh/site-functions/_rankle"
for file in LICENSE README.md docs/cli.md examples/bisect.sh; do
  check "has $file" test -f "$prefix/share/doc/rankle/$file"
done
# Nothing looks into the build folder: no run path names it.
for binary in "$prefix"/bin/* "$prefix"/lib/rankle/rankle-worker-*; do
  check 'says what it links' readelf -d "$binary"
  ! grep -E "RUNPATH|RPATH" out || { echo "$binary has a run path"; exit 1; }
done
echo "$passed passed, 0 failed"
