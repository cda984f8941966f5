#!/bin/sh
# Checks that english.sh accepts a plain page and reports an expression of its list, in a page and in a help text.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/man" "$tree/cmd/cookbook" "$tree/tests/bench" "$tree/lib/default-model" "$tree/lib/default-vectors"
  for page in README.md man/tool.1 cmd/cookbook/README.md tests/README.md tests/bench/README.md lib/default-model/README.md \
    lib/default-model/EXPERIMENTS.md lib/default-vectors/README.md lib/README.md; do
    echo 'Masked tokens are replaced with [MASK].' >"$tree/$page"
  done
  echo 'app.flag({"--whole-word", "", "Mask whole words."}, whole);' >"$tree/cmd/tool.cpp"
  cp "$tree/cmd/tool.cpp" "$tree/cmd/tool.h"
}

plant
sh "$here/english.sh" "$tree"
for page in README.md man/tool.1; do
  plant
  echo 'It hides hidden words.' >>"$tree/$page"
  ! sh "$here/english.sh" "$tree" >"$tree/said" || { echo "accepted in $page"; exit 1; }
  grep -q "^$page:2:It hides hidden words.$" "$tree/said"
  grep -q '^FAILED: write instead: mask, masked token$' "$tree/said"
done
plant
echo 'app.number({"--keep", "N", "Snapshots that are kept."}, keep);' >"$tree/cmd/tool.cpp"
! sh "$here/english.sh" "$tree" >"$tree/said" || { echo 'accepted in a help text'; exit 1; }
grep -q '^cmd/tool.cpp:1:' "$tree/said"
