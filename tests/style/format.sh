#!/bin/sh
# All C++ sources are as clang-format leaves them.
# Usage: format.sh [REPOSITORY]
set -eu
cd "${1:-$(dirname "$0")/../..}"
command -v clang-format >/dev/null || { echo "skipped: clang-format is absent"; exit 77; }
find lib cmd tests -name '*.h' -o -name '*.cpp' | LC_ALL=C sort | xargs clang-format --dry-run -Werror
