#!/usr/bin/env bash
# The version that a build says it is, at a tag, after one, without one, and without git.
#
#   version_test.sh WRITE_BUILD_INFO
set -euo pipefail
script=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/repo"
export GIT_CEILING_DIRECTORIES=$scratch
passed=0

# told FUNCTION: what the build says
told() {
  cmake -DOUTPUT="$scratch/info.cpp" -DSOURCE_DIR="$scratch/repo" -DVERSION=9.9.9 -DPLATFORM=sim \
    -P "$script"
  sed -n "s/.* $1() { return \"\(.*\)\"; }/\1/p" "$scratch/info.cpp"
}

# says FUNCTION PATTERN
says() {
  local got
  got=$(told "$1")
  [[ $got =~ ^$2$ ]] || { echo "$1 is '$got' instead of '$2'"; exit 1; }
  passed=$((passed + 1))
}

says version 9.9.9
says commit unknown
cd "$scratch/repo"
git init -q
git config user.name nobody
git config user.email nobody@example.org
echo 1 >file
git add . && git commit -qm one
says version 9.9.9
says commit '[0-9a-f]{12}'
git tag v1.2.3
git tag other
says version 1.2.3
echo 2 >file
says version 1.2.3
says commit '[0-9a-f]{12}\+changes'
git commit -qam two
says version '1.2.3-1-g[0-9a-f]{12}'
echo "$passed passed, 0 failed"
