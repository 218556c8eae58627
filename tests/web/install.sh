#!/usr/bin/env bash
# Puts what the tests in a browser need from npm into FOLDER, as the lock file beside this script
# says. Nothing is run on installation, and no browser is fetched: the tests use the machine's.
#
#   install.sh FOLDER     exit code 77 (skipped) without npm
set -euo pipefail
source_folder=$(cd "$(dirname "$0")" && pwd)
folder=$1
if ! command -v npm >/dev/null; then
  echo 'skipped: npm is missing (scripts/install-packages installs it)'
  exit 77
fi
mkdir -p "$folder"
# Installed for this lock file already?
if cmp -s "$source_folder/package-lock.json" "$folder/installed-for.json"; then
  echo 'already installed'
  exit 0
fi
cp "$source_folder/package.json" "$source_folder/package-lock.json" "$folder/"
(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
cp "$source_folder/package-lock.json" "$folder/installed-for.json"
