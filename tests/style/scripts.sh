#!/bin/sh
# Checks all shell scripts, and the commands of the command-line cases, with shellcheck, at severity warning or higher.
# Usage: scripts.sh [REPOSITORY]
set -eu
cd "${1:-$(dirname "$0")/../..}"
command -v shellcheck >/dev/null || { echo "skipped: shellcheck is absent"; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
# Each section becomes a script.
for case in tests/cases/*.case; do
  base=$directory/$(basename "$case" .case)
  mkdir "$base"
  awk -v directory="$base" -f tests/cases/split.awk "$case" | while read -r section commands _; do
    seq -f "$base/$section.%g.run" "$commands" | xargs cat >"$base.$section.sh"
  done
done
find "$directory" .ci cmd tests -name '*.sh' -o -path '.ci/*' -type f | LC_ALL=C sort | xargs shellcheck --shell=sh --severity=warning
