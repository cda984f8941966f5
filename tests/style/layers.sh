#!/bin/sh
# Checks the sources against lib/LAYERS: what each folder may include, and includes, which folder may include
# a third-party header, and the maximum length of a file.
# Usage: layers.sh [REPOSITORY]
set -eu
rules=$(cd "$(dirname "$0")" && pwd)/layers.awk
cd "${1:-$(dirname "$0")/../..}"
find lib cmd -name '*.h' -o -name '*.cpp' | LC_ALL=C sort |
  xargs awk -v longest=400 -f "$rules" lib/LAYERS
