#!/bin/sh
# Checks that layers.sh accepts a tree that follows the rules, and reports each violation.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {
  rm -rf "${tree:?}/lib" "${tree:?}/cmd"
  mkdir -p "$tree/lib/base" "$tree/lib/io" "$tree/lib/cli" "$tree/cmd"
  printf '%s\n' '# folders | headers' 'base: |' 'io: base | simdjson' 'cli: io | CLI' 'cmd: cli |' >"$tree/lib/LAYERS"
  printf '#include <vector>\n#include "base/a.h"\n#include <simdjson.h>\n' >"$tree/lib/io/a.cpp"
  printf '#include <CLI/CLI.hpp>\n#include "io/a.h"\n' >"$tree/lib/cli/a.cpp"
  printf '// base\n' >"$tree/lib/base/a.h"
  printf '#include "cli/a.h"\n#include "tool.h"\n' >"$tree/cmd/tool.cpp"
}

# expect_failure MESSAGE: layers.sh rejects the planted tree and prints exactly this line.
expect_failure() {
  if said=$(sh "$here/layers.sh" "$tree"); then
    echo "accepted, but expected: $1" >&2
    exit 1
  fi
  [ "$said" = "$1" ] || { printf 'said:     %s\nexpected: %s\n' "$said" "$1" >&2; exit 1; }
}

plant
sh "$here/layers.sh" "$tree"

plant; echo '#include "io/a.h"' >>"$tree/lib/base/a.h"
expect_failure 'lib/base/a.h:2: base may not include "io/a.h"'
plant; echo '#  include <simdjson.h>' >>"$tree/lib/cli/a.cpp"
expect_failure 'lib/cli/a.cpp:3: <simdjson.h> may be included by io alone'
plant; echo '#include <CLI/App.hpp>' >>"$tree/cmd/tool.cpp"
expect_failure 'cmd/tool.cpp:3: <CLI/App.hpp> may be included by cli alone'
plant; echo '#include "a.h"' >>"$tree/lib/io/a.cpp"
expect_failure 'lib/io/a.cpp:4: "a.h" is not written from lib/'
plant; echo '#include <base/a.h>' >>"$tree/lib/io/a.cpp"
expect_failure 'lib/io/a.cpp:4: <base/a.h> is ours: write it in quotes'
plant; yes '// long' | head -401 >"$tree/lib/io/long.cpp"
expect_failure 'lib/io/long.cpp: 401 lines, at most 400'
plant; yes '// long' | head -401 >"$tree/cmd/zz.cpp"; yes '// long' | head -400 >"$tree/cmd/yy.cpp"
expect_failure 'cmd/zz.cpp: 401 lines, at most 400'
plant; mkdir "$tree/lib/new"; echo >"$tree/lib/new/a.h"
expect_failure 'lib/new/a.h: lib/LAYERS has no row for new'
plant; echo 'early: late |' >>"$tree/lib/LAYERS"; echo 'late: early |' >>"$tree/lib/LAYERS"
expect_failure 'lib/LAYERS:6: early names late, which no row above defines'
plant; echo 'self: self |' >>"$tree/lib/LAYERS"
expect_failure 'lib/LAYERS:6: self names self, which no row above defines'
plant; echo 'words without a bar' >>"$tree/lib/LAYERS"
expect_failure 'lib/LAYERS:6: not a row "folder: folders | headers"'
plant; sed -i 's/^cli: io/cli: base io/' "$tree/lib/LAYERS"
expect_failure 'lib/LAYERS:4: cli includes nothing of base'
plant; echo 'io: |' >>"$tree/lib/LAYERS"
expect_failure 'lib/LAYERS:6: a second row for io'
