#!/usr/bin/env bash
# Every C++ file is formatted as .clang-format says. To mend: clang-format-19 -i FILE.
set -euo pipefail
cd "$(dirname "$0")/../.."

mapfile -t files < <(find . \( -name .git -o -name build -o -name golden \) -prune -o \
  -type f \( -name '*.h' -o -name '*.cpp' \) -print | sort)
if ((${#files[@]} < 10)); then
  echo "only ${#files[@]} C++ files found: this is not the repository"
  exit 1
fi
clang-format-19 --dry-run -Werror "${files[@]}"
echo "${#files[@]} files are formatted"
