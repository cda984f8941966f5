#!/bin/sh
# Fuzzes every parser of untrusted bytes with the address and undefined behaviour sanitizers:
#   sh tests/fuzz/run.sh SECONDS [TARGET...]       runs each target for SECONDS, in parallel on all processors
# Builds below $BUILD_DIR (default: build-test/). Inputs that reach new code are kept in fuzz-found/TARGET there; an
# input that fails is written to crash-NUMBER in the current folder. Prints the number of runs.
set -eu
seconds=${1:?}
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
builds=${BUILD_DIR:-$root/build-test}
sources=$root/tests/fuzz

for target; do targets="${targets-} -t ${target}_fuzz"; done
# targets is a list of words.
# shellcheck disable=SC2086
sh "$root/cmd/build.sh" ${targets:--t fuzz} "$builds/fuzz" -DBERT_DEVELOPER=ON -DBERT_SANITIZE=address,undefined \
  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1' -DBERT_FUZZ=ON
[ $# -gt 0 ] || for target in "$builds"/fuzz/tests/fuzz/*_fuzz; do set -- "$@" "$(basename "$target" _fuzz)"; done

found=$builds/fuzz-found
export builds seconds sources found
# Expanded by the shell that xargs starts.
# shellcheck disable=SC2016
for target; do mkdir -p "$found/$target" && echo "$target"; done |
  xargs -P "$(nproc)" -I{} sh -c 'said=$("$builds/fuzz/tests/fuzz/{}_fuzz" -max_total_time="$seconds" -seed="$(date +%s)" \
    "$found/{}" "$builds/fuzz/tests/fuzz/seeds/{}" $(ls -d "$sources/corpus/{}" 2>/dev/null)) && echo "{}: $said" || { echo "{}: FAILED"; exit 1; }' | tee "$found/runs.txt"
awk '{ sum += $2 } END { print sum " runs in all" }' "$found/runs.txt"
! grep -q FAILED "$found/runs.txt"
