#!/bin/sh
# Checks that Clang compiles each source, by itself, without warnings. It checks syntax and types only.
# Usage: clang.sh SOURCE_DIRECTORY
set -eu
for program in clang++ jq; do
  command -v $program >/dev/null || { echo "skipped: $program is absent"; exit 77; }
done
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake -S "$1" -B "$build" -DBERT_DEVELOPER=ON -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_UNITY_BUILD=OFF >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
jq -r '.[] | "cd " + (.directory | @sh) + " && " + .command' "$build/compile_commands.json" |
  sed 's, -o [^ ]* , -fsyntax-only ,' | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c
