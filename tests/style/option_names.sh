#!/bin/sh
# Checks that messages of the library name options by the constants of lib/base/option.h, so that each name
# is spelled once, and that each constant is used. Only the command line itself, lib/cli, has "--".
# Usage: option_names.sh [REPOSITORY]
set -eu
cd "${1:-$(dirname "$0")/../..}"
names=lib/base/option.h
status=0
spelled=$(find lib -name '*.h' -o -name '*.cpp' | LC_ALL=C sort | grep -v -e '^lib/cli/' -e "^$names\$" |
  xargs awk '{ code = $0; sub(/\/\/.*/, "", code) }
    code ~ /"[^"]*--[a-z]/ && code !~ /srun --mpi=|run_gnuplot\(/ {
      print FILENAME ":" FNR ": spells an option; write it as a constant of base/option.h"
    }')
if [ -n "$spelled" ]; then
  printf '%s\n' "$spelled" >&2
  status=1
fi
for name in $(sed -n 's/^inline constexpr Option \([a-z0-9_]*\){.*/\1/p' $names); do
  if ! grep -rqw "opt::$name" lib; then
    echo "$names: the library does not use $name" >&2
    status=1
  fi
  spelling=--$(echo "$name" | tr _ -)
  if ! grep -qF "Option $name{\"$spelling\"};" $names || ! grep -rqw "opt::$name" cmd lib/cli; then
    echo "$names: $name is not $spelling, or no tool declares it" >&2
    status=1
  fi
done
exit $status
