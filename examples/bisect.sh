#!/usr/bin/env bash
# Finds the commit that brought a bug in, or mended it, from a repro file:
#
#   cp examples/bisect.sh finding.json /tmp/
#   git bisect start BAD GOOD
#   git bisect run /tmp/bisect.sh /tmp/finding.json
#
# or from any command of rankle that finds it:
#
#   git bisect run /tmp/bisect.sh fuzz --target 'allreduce/*' --cases 2000 --seed 7
#
# Answers as `git bisect run` wants it: 0 good, 1 bad, 125 cannot be judged (it does not build, the
# file cannot be used there, it fails in another way or only now and then). The files lie outside
# the repository, because git exchanges what is in it.
set -uo pipefail
first=${1:?"bisect.sh: name a repro file, or a command of rankle"}
if [[ -f $first ]]; then
  command=(replay "$(realpath "$first")")
else
  command=("$@")
fi

scripts/build --no-install rankle rankle-worker-sim rankle_targets rankle_mutants || exit 125
build/sim/rankle "${command[@]}"
case $? in
  0) exit 0 ;;
  1) exit 1 ;;
  *) exit 125 ;;
esac
