#!/usr/bin/env bash
# Kernels, the simulator and libFuzzer in one program: a million executions end well, and the
# counters inside the kernel guide libFuzzer to a word that chance would not find.
#
#   link_test.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

runs=1000000
code=0
"$program" -runs=$runs -seed=1 -max_len=4 -print_final_stats=1 >output 2>&1 </dev/null || code=$?
tail -n 12 output
((code == 0)) || { echo "exit code $code, expected 0"; exit 1; }
executions=$(sed -n 's/^executions: //p' output)
((executions >= runs)) || { echo "$executions executions, expected $runs"; exit 1; }
grep -q '^door: 4 of 4$' output || { echo 'no guidance from the kernel'; exit 1; }
