#!/bin/sh
# Checks that all C++ sources are formatted by clang-format.
# Usage: format.sh [REPOSITORY]
set -eu
cd "${1:-$(dirname "$0")/../..}"
command -v clang-format >/dev/null || { echo "skipped: clang-format is absent"; exit 77; }
# Other versions format some lines differently.
case $(clang-format --version) in *"version 14."*) ;; *) echo "skipped: $(clang-format --version), the sources follow 14"; exit 77 ;; esac
find lib cmd tests -name '*.h' -o -name '*.cpp' | LC_ALL=C sort | xargs clang-format --dry-run -Werror
