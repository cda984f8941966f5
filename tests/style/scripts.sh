#!/bin/sh
# Checks all shell scripts with shellcheck, at severity warning or higher.
# Usage: scripts.sh [REPOSITORY]
set -eu
cd "${1:-$(dirname "$0")/../..}"
command -v shellcheck >/dev/null || { echo "skipped: shellcheck is absent"; exit 77; }
find .ci cmd tests -name '*.sh' -o -path '.ci/*' -type f | LC_ALL=C sort | xargs shellcheck --shell=sh --severity=warning
