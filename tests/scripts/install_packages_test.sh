#!/usr/bin/env bash
# scripts/install-packages on machines that it has never seen: dpkg-query, apt-get and sudo are
# replaced by small fakes, so that nothing is installed and every branch is reached.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
mkdir "$scratch/bin"
log="$scratch/apt.log"
passed=0

# fake NAME BODY
fake() {
  printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
  chmod 755 "$scratch/bin/$1"
}

# Everything is installed but the packages named.
machine_lacks() {
  fake dpkg-query "for last; do :; done
case \" $* \" in *\" \$last \"*) exit 1 ;; esac
echo installed"
  fake apt-get "echo \"\$DEBIAN_FRONTEND \$*\" >>$log"
  : >"$log"
  chmod 666 "$log"
}

# check NAME EXPECTED_EXIT EXPECTED_TEXT COMMAND...
check() {
  local name=$1 expected=$2 text=$3 code=0 output
  shift 3
  output=$(env -i PATH="$scratch/bin:/usr/bin:/bin" "$@" 2>&1 </dev/null) || code=$?
  if ((code != expected)) || [[ $output != *"$text"* ]]; then
    printf '%s: exit code %s, expected %s and the text "%s"; got:\n%s\n' \
      "$name" "$code" "$expected" "$text" "$output"
    exit 1
  fi
  passed=$((passed + 1))
}

as_nobody=()
((EUID != 0)) || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
script="$scratch/install-packages"
cp "$root/scripts/install-packages" "$script"
chmod 755 "$script"

machine_lacks
check 'nothing missing' 0 'are installed' "$script"
[[ ! -s $log ]]

machine_lacks jq ccache
check 'only says what is missing' 0 '2 of ' "$script" --no-install
check 'names the missing ones' 0 'missing: ccache jq' "$script" --no-install
[[ ! -s $log ]]

if ((EUID == 0)); then
  check 'installs as root' 0 'missing: ccache jq' "$script"
  grep -q '^noninteractive .*install .*--no-install-recommends ccache jq$' "$log"
  fake apt-get 'exit 100'
  check 'a failed installation is an environment error' 3 'Debian 12' "$script"
fi

machine_lacks jq
fake sudo 'exit 1'
check 'prints the exact line without root or sudo' 3 \
  'apt-get update && apt-get install -y --no-install-recommends jq' "${as_nobody[@]}" "$script"
[[ ! -s $log ]]

machine_lacks jq
# shellcheck disable=SC2016  # the fake expands its own arguments
fake sudo '[ "$1" = -n ] && exit 0
exec "$@"'
check 'uses sudo where it works' 0 'missing: jq' "${as_nobody[@]}" "$script"
grep -q '^noninteractive .*install .* jq$' "$log"

machine_lacks hipcc
check 'no GPU compiler unless asked' 0 'are installed' "$script" --no-install
check 'GPU compilers when asked' 0 'missing: hipcc' "$script" --no-install --with-gpu-toolchains
check 'unknown option' 2 "unknown option '--frobnicate'" "$script" --frobnicate
check 'works with an empty environment' 0 'clang-19' /usr/bin/env -i /bin/bash "$script" --list

echo "$passed passed, 0 failed"
