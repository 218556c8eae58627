#!/usr/bin/env bash
# Runs the commands in the documents, so that they stay true. A block is run if the line before its
# ```sh fence is a mark:
#
#   <!-- run -->           every command must succeed
#   <!-- run exit=1 -->    the last command must end with exit code 1
#
# The blocks of one document run in order in one scratch folder that looks like the root of the
# repository: its files are links, `build/sim` is the build under test, and what the commands write
# goes away with the folder.
#
#   docs_commands_test.sh BUILD_FOLDER DOCUMENT...
set -euo pipefail
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
build_folder=$(cd "$1" && pwd)
shift

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# make_root FOLDER
make_root() {
  mkdir -p "$1/build"
  local entry
  for entry in "$source_folder"/*; do
    [[ $(basename "$entry") == build ]] || ln -s "$entry" "$1/"
  done
  ln -s "$build_folder" "$1/build/sim"
}

# blocks DOCUMENT: one file per marked block, named NUMBER.EXIT.LINE, in the folder $2.
blocks() {
  awk -v out="$2" '
    /^<!-- run( exit=[0-9]+)? -->$/ { mark = $0; next }
    /^```sh$/ && mark != "" {
      code = 0
      if (match(mark, /exit=[0-9]+/)) code = substr(mark, RSTART + 5, RLENGTH - 5)
      file = sprintf("%s/%03d.%d.%d", out, ++n, code, NR + 1)
      inside = 1; mark = ""; next
    }
    /^```$/ { inside = 0 }
    inside { print > file }
    { if (!inside) mark = "" }
  ' "$1"
}

ran=0
failed=0
for document in "$@"; do
  root=$(mktemp -d "$scratch/root.XXXXXX")
  make_root "$root"
  mkdir "$root.blocks"
  blocks "$document" "$root.blocks"
  for block in "$root.blocks"/*; do
    [[ -f $block ]] || continue
    IFS=. read -r _ expected line <<<"$(basename "$block")"
    code=0
    (cd "$root" && timeout 120 bash -e "$block") >"$block.output" 2>&1 </dev/null || code=$?
    ran=$((ran + 1))
    if ((code != expected)); then
      failed=$((failed + 1))
      echo "$document:$line: exit code $code, expected $expected"
      sed 's/^/  $ /' "$block"
      sed 's/^/  /' "$block.output"
    else
      echo "$document:$line: ok"
    fi
  done
done

echo "$ran blocks run, $failed failed"
((ran > 0 && failed == 0))
