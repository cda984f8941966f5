#!/bin/sh
# Builds and runs all tests, from a fresh clone on: sh tests/run.sh [CTEST_OPTION...]
# The builds are below $BUILD_DIR, build-test/ by default.
set -eu
cd "$(dirname "$0")/.."
# Tests that need one of the optional programs (mandoc, shellcheck, numpy, ...) are reported as skipped without it.
sh cmd/packages.sh doctest-dev ninja-build clang clang-format mandoc shellcheck xz-utils python3 python3-numpy jq strace

builds=${BUILD_DIR:-build-test}
generator='Unix Makefiles'
command -v ninja >/dev/null && generator=Ninja
jobs=$(nproc)

# run_tests BUILD CTEST_OPTION...: shows what ctest says only when a test fails.
run_tests() {
  build=$builds/$1
  shift
  ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --quiet --output-log "$build/tests.log" "$@" ||
    { cat "$build/tests.log"; exit 1; }
  grep 'tests passed' "$build/tests.log"
}

# The unit tests of all of lib/, and the fuzz targets, under sanitizers. Optimization is light, for the sake of the compiler's time.
folders='base io nn text metric ckpt cli data model task train'
targets=
for folder in $folders; do [ ! -e "tests/$folder" ] || targets="$targets -t ${folder}_test"; done
for corpus in tests/fuzz/corpus/*; do targets="$targets -t $(basename "$corpus")_fuzz"; done
# targets is a list of words.
# shellcheck disable=SC2086
sh cmd/build.sh $targets "$builds/sanitize" -G "$generator" -DBERT_DEVELOPER=ON -DBERT_SANITIZE=address,undefined \
  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'
echo "The unit tests with the address and undefined behaviour sanitizers:"
# GCC 14 misaligns vectors of 64 bytes on the stack that this check would move elsewhere (its bug 110027).
ASAN_OPTIONS=detect_stack_use_after_return=0 run_tests sanitize -R "^($(echo "$folders" | tr ' ' '|')|fuzz\..*)\$"

sh cmd/build.sh "$builds/release" -G "$generator" -DBERT_DEVELOPER=ON

# instruction_set: that of the tools here.
instruction_set() { "$builds/release/cmd/bert-embed" --version | grep oneDNN; }
own=$(instruction_set)
for isa in SSE41 AVX2; do
  export ONEDNN_MAX_CPU_ISA=$isa
  [ "$(instruction_set)" != "$own" ] || continue
  echo "All tests that could depend on it, with the instruction set $isa:"
  run_tests release -LE 'style|faults' "$@"
done
unset ONEDNN_MAX_CPU_ISA
echo "All tests with the instruction set of this processor ($own):"
ctest --test-dir "$builds/release" --output-on-failure --parallel "$jobs" "$@"
