#!/usr/bin/env bash
# examples/bisect.sh in a real `git bisect run` over a repository made here, in which `rankle` is a
# fake that reads its exit code from a file under version control.
set -euo pipefail
scratch=$(mktemp -d)
example="$scratch/bisect.sh"
cp "$(dirname "$0")/../../examples/bisect.sh" "$example"
trap 'rm -rf "$scratch"' EXIT
touch "$scratch/finding.json"
mkdir -p "$scratch/repo/scripts"
cd "$scratch/repo"

git init -q
git config user.name nobody
git config user.email nobody@example.org
# The fake build makes the fake rankle; the version `broken` does not build.
cat >scripts/build <<'BUILD'
#!/bin/sh
[ "$(cat version)" != broken ] || exit 4
mkdir -p build/sim
printf '#!/bin/sh\necho "$*" >arguments\nexit %s\n' "$(cat version)" >build/sim/rankle
chmod +x build/sim/rankle
BUILD
chmod +x scripts/build
printf '/build/\n/arguments\n' >.gitignore

# Exit codes of `rankle replay` in the order of commits; the bug comes with the fifth.
versions=(0 0 7 broken 1 5 1)
commits=()
for i in "${!versions[@]}"; do
  echo "${versions[$i]}" >version
  echo "$i" >number
  git add . && git commit -q -m "commit $i"
  commits+=("$(git rev-parse HEAD)")
done

answer() {
  git checkout -q "${commits[$1]}"
  local code=0
  "$example" "$scratch/finding.json" || code=$?
  echo "$code"
}
[[ $(answer 0) == 0 ]] || { echo 'a clean commit must be good'; exit 1; }
[[ $(answer 2) == 125 ]] || { echo 'another finding cannot be judged'; exit 1; }
[[ $(answer 3) == 125 ]] || { echo 'a commit that does not build cannot be judged'; exit 1; }
[[ $(answer 5) == 125 ]] || { echo 'only flaky findings cannot be judged'; exit 1; }
[[ $(answer 4) == 1 ]] || { echo 'the same signature must be bad'; exit 1; }
grep -qx "replay $scratch/finding.json" arguments || { echo 'the file is to be replayed'; exit 1; }
code=0
"$example" fuzz --target 'a b' --seed 7 || code=$?
[[ $code == 1 ]] || { echo 'a finding of fuzz must be bad'; exit 1; }
grep -qx "fuzz --target a b --seed 7" arguments || { echo 'the command is to be run'; exit 1; }

# Over commits that can all be judged git names exactly one.
git checkout -q -B straight "${commits[1]}"
echo 1 >version && git commit -qam 'the culprit'
culprit=$(git rev-parse HEAD)
echo later >number && git commit -qam 'after it'
git bisect start HEAD "${commits[0]}" >/dev/null
git bisect run "$example" "$scratch/finding.json" >"$scratch/bisect.log" 2>&1
grep -q "^$culprit is the first bad commit" "$scratch/bisect.log" ||
  { cat "$scratch/bisect.log"; exit 1; }
echo '9 passed, 0 failed'
