#!/bin/sh
# For the tests of bert-train under mpirun. Usage of each test: NAME.sh TOOLS_DIRECTORY
# Exits with 77 if mpirun is absent or the tools were built without MPI. Changes to an empty directory.
tools=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
cases=$here/../cases
MODELS=$(cd "$here/../golden/models" && pwd)
LIB=$cases/lib
PATH=$tools:$PATH
export PATH MODELS LIB
command -v mpirun >/dev/null || { echo "skipped: mpirun is absent"; exit 77; }
[ -e "$tools/../lib/bert/bert-mpi.so" ] || { echo "skipped: built without MPI"; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1

# Open MPI refuses to run as root, and to start more processes than there are cores, unless told.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
# Its progress engine must not fight for the few cores.
OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
  OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_mpi_yield_when_idle

failed=no
fail() { echo "FAILED: $*"; failed=yes; }
# ranks K COMMAND...: runs it as K processes; 0: without mpirun.
ranks() {
  count=$1
  shift
  if [ "$count" = 0 ]; then "$@"; else mpirun -n "$count" "$@"; fi
}
# processes PID: the ranks of the mpirun below this shell, in their order.
processes() {
  for child in $(cat "/proc/$1/task/$1/children"); do
    case $(cat "/proc/$child/comm") in bert-train) echo "$child" ;; *) processes "$child" ;; esac
  done
}
# wait_for LINES FILE
wait_for() { while [ "$(cat "$2" 2>/dev/null | wc -l)" -lt "$1" ]; do sleep 0.02; done; }
# same_bytes A B: compares the models and the last checkpoints of two runs.
same_bytes() {
  for file in model.safetensors config.json vocab.txt; do cmp "$1/$file" "$2/$file" || fail "$1 and $2 differ"; done
  last=$(ls "$1/checkpoints" | tail -n 1)
  cmp "$1/checkpoints/$last/optimizer.safetensors" "$2/checkpoints/$last/optimizer.safetensors" || fail "$1 and $2 differ"
}
# figures LOG: the training log without what depends on the clock.
figures() { sed 's/,"tokens_per_second":[^,]*,"seconds":[^,}]*//' "$1"; }
end() { [ "$failed" = no ]; }
