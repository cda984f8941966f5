#!/bin/sh
# Builds and runs all tests, from a fresh clone on: sh tests/run.sh [CTEST_OPTION...]
# The builds are below $BUILD_DIR, else build-test/.
set -eu
cd "$(dirname "$0")/.."
# What a test only compares with or checks by (mandoc, shellcheck, numpy) is skipped aloud where it is absent.
sh cmd/packages.sh doctest-dev ninja-build clang-format mandoc shellcheck xz-utils python3 python3-numpy jq

builds=${BUILD_DIR:-build-test}
generator='Unix Makefiles'
command -v ninja >/dev/null && generator=Ninja
jobs=$(nproc)

# build DIRECTORY TARGET_OPTIONS -- CMAKE_OPTIONS: configures and builds; its log appears only when it fails.
build() {
  directory=$builds/$1 targets=$2
  shift 2
  mkdir -p "$directory"
  # targets is a list of words.
  # shellcheck disable=SC2086
  {
    cmake -S . -B "$directory" -G "$generator" -DBERT_DEVELOPER=ON "$@" &&
      cmake --build "$directory" --parallel "$jobs" $targets
  } >"$directory/build.log" 2>&1 || { tail -n 60 "$directory/build.log"; echo "The build failed; all of it: $directory/build.log"; exit 1; }
}

# The libraries that read foreign bytes, under sanitizers. oneDNN's generated code is not for them.
checked='base io text ckpt data cli'
echo "Building the unit tests with sanitizers in $builds/sanitize"
targets=--target
for folder in $checked; do [ -e "tests/$folder" ] && targets="$targets ${folder}_test"; done
build sanitize "$targets" -DBERT_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo
ctest --test-dir "$builds/sanitize" --output-on-failure --parallel "$jobs" --quiet \
  --output-log "$builds/sanitize/sanitize.log" -R "^($(echo "$checked" | tr ' ' '|'))\$" ||
  { cat "$builds/sanitize/sanitize.log"; exit 1; }
echo "They pass."

echo "Building the tools and all tests in $builds/release"
build release ''
ctest --test-dir "$builds/release" --output-on-failure --parallel "$jobs" "$@"
