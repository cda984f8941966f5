#!/bin/sh
# Holds the sources and the build to lib/LAYERS: what a folder includes and links, who sees third-party headers, and
# how long a file may be.
# Usage: layers.sh [REPOSITORY]
set -eu
rules=$(cd "$(dirname "$0")" && pwd)/layers.awk
cd "${1:-$(dirname "$0")/../..}"
find lib cmd -name '*.h' -o -name '*.cpp' | LC_ALL=C sort |
  xargs awk -v longest=400 -f "$rules" lib/LAYERS lib/CMakeLists.txt
