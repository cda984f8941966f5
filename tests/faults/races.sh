#!/bin/sh
# Builds all tools with the thread sanitizer and runs the command-line cases with them. A reported race would change the
# expected stderr: sh tests/faults/races.sh [CASE...]
# Builds below $BUILD_DIR (default: build-test/).
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD_DIR:-build-test}/races
targets=
for source in cmd/bert-*.cpp; do targets="$targets -t $(basename "$source" .cpp)"; done
# targets is a list of words.
# shellcheck disable=SC2086
sh cmd/build.sh $targets "$build" -DBERT_DEVELOPER=ON -DBERT_SANITIZE=thread -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'
# The sanitizer itself writes a file, which exceeds the limit in vocab-directory.
[ $# -gt 0 ] || for case in tests/cases/*.case; do
  name=$(basename "$case" .case)
  [ "$name" = vocab-directory ] || set -- "$@" "$name"
done
TSAN_OPTIONS=exitcode=66 sh tests/cases/run.sh "$build/cmd" "$@"
