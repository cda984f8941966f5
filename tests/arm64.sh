#!/bin/sh
# Builds the project for arm64 in a bare Debian 12 tree and runs its tests under emulation: sh tests/arm64.sh
# Takes about 40 minutes on two cores. Needs root, debootstrap, a Debian mirror (as set up for this machine's
# apt) and 4 GB in $TMPDIR or /var/tmp.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. tests/bare_tree.sh
open_trees tests/arm64.sh "$@"

# shellcheck disable=SC2034
release=bookworm  # for step and first_tree
step debootstrap
first_tree
new_tree build
clone build novice
step 'packages'
quietly in_tree build root 'dpkg --add-architecture arm64 && apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
  --no-install-recommends g++-aarch64-linux-gnu cmake ninja-build qemu-user libcli11-dev libdnnl-dev:arm64 \
  ocl-icd-opencl-dev:arm64 libicu-dev:arm64 libsimdjson-dev:arm64 doctest-dev python3 python3-numpy jq'
step 'build'
quietly in_tree build novice 'cd bert && sh cmd/build.sh build -G Ninja -DBERT_DEVELOPER=ON -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/qemu-aarch64'
# Scripts call programs by name, so each program is replaced by a script that starts it in the emulator. The
# tools also find the default model from arm64/.
quietly in_tree build novice 'cd bert/build && mkdir arm64 && for program in cmd/bert-* tests/golden/normal_form_probe; do
  mv $program arm64 && printf "#!/bin/sh\nexec /usr/bin/qemu-aarch64 %s/arm64/%s \"\$@\"\n" "$PWD" "${program##*/}" >$program &&
  chmod +x $program; done'
step 'tests'
in_tree build novice "cd bert && ctest --test-dir build --output-on-failure --parallel $(nproc) -LE 'style|docs|large|shared|faults' \
  -E '^(io|train|case.default-model|case.train-plot|train_memory)\$'"
# Tests that cannot pass under emulation: the emulator adds threads and memory to a process (io,
# train_memory); a child process that cannot be executed is a copy of the emulator and fails later than usual
# (train, case.train-plot); a copied tool is a copy of the starting script (case.default-model).
unit() { in_tree build novice "cd bert/build/tests && qemu-aarch64 ./$1_test --test-case-exclude='$2'"; }
unit io 'the process runs the pool*'
unit train 'without gnuplot*'
step passed
