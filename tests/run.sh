#!/bin/sh
# Builds and runs all tests, also in a fresh clone: sh tests/run.sh [CTEST_OPTION...]
# The builds are below $BUILD_DIR (default: build-test/).
set -eu
cd "$(dirname "$0")/.."
# Tests whose optional programs (mandoc, shellcheck, numpy, ...) are missing are reported as skipped.
sh cmd/packages.sh doctest-dev ninja-build clang clang-format mandoc shellcheck xz-utils bzip2 zstd python3 python3-numpy jq parallel strace

builds=${BUILD_DIR:-build-test}
generator='Unix Makefiles'
command -v ninja >/dev/null && generator=Ninja
jobs=$(nproc)

# run_tests BUILD CTEST_OPTION...: shows ctest's output only if a test fails.
run_tests() {
  build=$builds/$1
  shift
  ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --quiet --output-log "$build/tests.log" "$@" ||
    { cat "$build/tests.log"; exit 1; }
  grep 'tests passed' "$build/tests.log"
}

# All unit tests of lib/ and the fuzz targets, with sanitizers. Light optimization, to save compile time.
folders=$(for tests in tests/*/*_test.cpp; do basename "${tests%/*}"; done | sort -u | grep -vE '^(golden|shared|fuzz|bench)$')
targets=
for folder in $folders; do targets="$targets -t ${folder}_test"; done
# targets is a list of words.
# shellcheck disable=SC2086
sh cmd/build.sh $targets -t fuzz "$builds/sanitize" -G "$generator" -DBERT_DEVELOPER=ON -DBERT_SANITIZE=address,undefined \
  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'
echo "The unit tests with the address and undefined behaviour sanitizers:"
# GCC 14 misaligns 64-byte vectors on the stack if this check moves them elsewhere (its bug 110027).
ASAN_OPTIONS=detect_stack_use_after_return=0 run_tests sanitize -R "^($(echo "$folders" | paste -s -d '|')|fuzz\..*)\$"

sh cmd/build.sh "$builds/release" -G "$generator" -DBERT_DEVELOPER=ON

# instruction_set: prints the instruction set that the tools use here.
instruction_set() { "$builds/release/cmd/bert-embed" --version | grep oneDNN; }
own=$(instruction_set)
for isa in SSE41 AVX2; do
  export ONEDNN_MAX_CPU_ISA=$isa
  [ "$(instruction_set)" != "$own" ] || continue
  echo "The tests that depend on it, except those of large models, with the instruction set $isa:"
  run_tests release -LE 'style|faults|cluster|examples|large' "$@"
done
unset ONEDNN_MAX_CPU_ISA
echo "All tests with the instruction set of this processor ($own):"
ctest --test-dir "$builds/release" --output-on-failure --parallel "$jobs" "$@"
