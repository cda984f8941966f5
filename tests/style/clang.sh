#!/bin/sh
# Checks that Clang compiles all sources without warnings. It checks syntax and types only, with the compile commands
# of a build by another compiler.
# Usage: clang.sh BUILD_DIRECTORY
set -eu
for program in clang++ jq; do
  command -v $program >/dev/null || { echo "skipped: $program is absent"; exit 77; }
done
jq -r '.[] | "cd " + (.directory | @sh) + " && " + .command' "$1/compile_commands.json" |
  sed 's,&& [^ ]* ,\&\& clang++ -Werror -Wno-unknown-warning-option -fsyntax-only ,; s, -o [^ ]* , ,' |
  tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c
