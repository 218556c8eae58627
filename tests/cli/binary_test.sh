#!/bin/sh
# The built binary where its workers are missing: exit codes, --version, errors on stderr. Usage:
# binary_test.sh RANKLE. The binary is copied to an empty folder, so that no worker lies beside it.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/rankle"
cd "$folder" || exit 1
failures=0

expect() {  # expect CODE TEXT ARGUMENTS...: the exit code, and a text on stderr
  code=$1 text=$2
  shift 2
  ./rankle "$@" >out 2>err
  got=$?
  if [ $got -ne "$code" ] || { [ -n "$text" ] && ! grep -qF -- "$text" err; }; then
    echo "rankle $*: exit $got, wanted $code and '$text' in: $(cat err)"
    failures=$((failures + 1))
  fi
}

expect 3 "platform sim has no worker here" list
expect 3 "platform amd has no worker here" fuzz --platform amd --cases 1
expect 3 "platform nvidia has no worker here" list --platform nvidia --json
expect 2 "--time: 'soon' is not allowed" fuzz --time soon
expect 2 "'fuz' is no command" fuz
expect 2 "cannot read absent.json" replay absent.json
expect 2 "is required" replay
expect 0 "" --version
grep -q "repro schema 1" out || { echo "--version names no schemas"; failures=$((failures + 1)); }
expect 0 "" fuzz --help
grep -q -- "--only-case" out || { echo "--help names no options"; failures=$((failures + 1)); }
left=$(printf '%s ' *)
[ "$left" = "err out rankle " ] || { echo "files were left: $left"; failures=1; }
exit $failures
