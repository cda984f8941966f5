#!/bin/sh
# The commands of README.md that run shards as a Slurm array job, with tests/mpi/with_slurm.sh; called without ARRAY_TEST,
# this script starts it. Usage: array.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
if [ -z "${ARRAY_TEST-}" ]; then
  ARRAY_TEST=1 exec sh "$here/../../mpi/with_slurm.sh" sh "$0" "$tools" "$examples"
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
: >log
shards
sed -i '/^mkdir\|^split/!d' divide
sh -eu divide
block 'sbatch --wait' | sed 's/0-99/0-7/' >array

# A shard fails; the same command runs it again.
echo 'case $* in *005*) echo oops >&2; exit 3 ;; esac' >end
if sh -eu array >said 2>&1; then fail "a shard that fails"; fi
grep -qx oops slurm-*_5.out || fail "no message"
ran "a shard that fails" 8
rm end
sh -eu array || fail "the shard that had failed"
ran "the shard that had failed" 1
same "the shard that had failed"
