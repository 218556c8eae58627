#!/usr/bin/env bash
# JUnit and SARIF files against their schemas: of a made-up run, and of a real `rankle smoke`. Files
# with one thing wrong in them must be refused, so that a schema that takes everything would show.
#
#   reports_test.sh WRITE_SAMPLE_RUN WEB_TOOLS RANKLE     exit code 77 (skipped) without the tools
set -euo pipefail
write=$1 web=$2 rankle=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for needed in xmllint node; do
  command -v "$needed" >/dev/null || { echo "skipped: $needed is missing"; exit 77; }
done
[[ -d $web/node_modules/ajv ]] || { echo "skipped: $web holds no ajv"; exit 77; }

failed=0
passed=0
# verdict EXPECTED FILE: whether the file's schema takes it
verdict() {
  local code=0
  case "$2" in
    *.xml) xmllint --noout --schema "$here/junit.xsd" "$2" >"$scratch/said" 2>&1 || code=$? ;;
    *) NODE_PATH="$web/node_modules" node "$here/check_sarif.cjs" "$2" >"$scratch/said" 2>&1 ||
      code=$? ;;
  esac
  if { [[ $1 == valid ]] && ((code == 0)); } || { [[ $1 == invalid ]] && ((code != 0)); }; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$2 should be $1:"
    cat "$scratch/said"
  fi
}

"$write" "$scratch"
# smoke NAME EXPECTED OPTION...: a real run, and the exit code that it must have
smoke() {
  local name=$1 expected=$2 code=0
  shift 2
  (cd "$scratch" && "$rankle" smoke --seed 1 --minimize-time 1s --junit "$name.xml" \
    --sarif "$name.sarif" --github "$@") >"$scratch/said" 2>&1 </dev/null || code=$?
  if ((code != expected)); then
    echo "smoke $*: exit code $code, expected $expected"
    cat "$scratch/said"
    exit 1
  fi
}
corpus="$here/../../../corpus/two-stage-tail/tail-65-packs-w4.json"
smoke clean 0 --target allreduce/two_stage_tail --cases 20 --corpus "$corpus"
smoke found 1 --target allreduce/two_stage_uniform@divergent_barrier --cases 40 --corpus none
grep -q '^::error file=' "$scratch/said" || { echo 'no annotation was printed'; exit 1; }
for file in "$scratch"/{full,empty,clean,found}.{xml,sarif}; do verdict valid "$file"; done

sed 's/failures="1"/failures="one"/' "$scratch/full.xml" >"$scratch/bad-count.xml"
sed 's/classname=/class=/' "$scratch/full.xml" >"$scratch/bad-attribute.xml"
sed 's/"startLine": 71/"startLine": 0/' "$scratch/full.sarif" >"$scratch/bad-line.sarif"
sed 's/"level": "error"/"level": "grave"/' "$scratch/full.sarif" >"$scratch/bad-level.sarif"
sed 's/"results"/"findings"/' "$scratch/full.sarif" >"$scratch/bad-key.sarif"
for file in "$scratch"/bad-*; do verdict invalid "$file"; done

echo "$passed passed, $failed failed"
((failed == 0))
