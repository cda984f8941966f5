#!/bin/sh
# srun starts the ranks, as mpirun does, in a Slurm cluster that the test makes; the model has the same bytes.
set -eu
. "$(dirname "$0")/lib.sh"
. "$LIB/sentences.sh"
records 100 class >train.jsonl
train="${tools:?}/bert-train --task classify -m $MODELS/bare --lr 3e-3 --batch-size 10 --steps 20 -j 1 -q"
# train is a list of words.
# shellcheck disable=SC2086
ranks 2 $train -o mpirun train.jsonl >mpirun.log
cat >run <<END
srun --mpi=pmix -n 2 $train -o srun train.jsonl >srun.log || exit 1
srun --mpi=none -n 2 $train -o none train.jsonl >none.log 2>none.err && exit 1
exit 0
END
status=0
sh "${here:?}/with_slurm.sh" sh -e run >slurm.log 2>&1 || status=$?
[ $status != 77 ] || { cat slurm.log; exit 77; }
[ $status = 0 ] || { fail "srun"; cat slurm.log; }
same_bytes mpirun srun
figures srun.log >a
figures mpirun.log | cmp - a || fail "the logs differ"
grep -q "srun has started 2 processes that cannot find each other" none.err || { fail "no advice"; cat none.err; }
end
