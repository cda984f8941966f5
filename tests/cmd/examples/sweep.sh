#!/bin/sh
# sweep.mk trains every combination of settings, continues after a kill with the same results, keeps the best
# model, and reports mean and standard deviation over the seeds.
# Usage: sweep.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make bash flock
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
trace "$tools" train
trace_checkpoints

awk 'BEGIN {
  print "text\tlabel"
  split("soup room house king street", noun)
  for (n = 1; n <= 52; n++) print "The " noun[n % 5 + 1] " was " (n % 2 ? "clean" : "cold") ".\t" (n % 2 ? "good" : n % 8 ? "bad" : "worse")
}' >all.tsv
head -n 41 all.tsv >train.tsv
{ head -n 1 all.tsv; tail -n 12 all.tsv; } >dev.tsv

# build OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  out=$1
  shift
  : >ran
  make -f "$examples/sweep.mk" OUT="$out" MODEL="$models/bare" TASK=classify TRAIN=train.tsv DEV=dev.tsv BATCH_SIZES='4 8' \
    RATES='3e-3 1e-3' EPOCHS=2 SEEDS='1 2' TRAIN_OPTIONS='--save-every 4 --plot plot.svg' "$@" >log 2>&1 ||
    fail "make fails: $out $*"
}
ran() {
  found=$(grep -cx bert-train ran || true)
  [ "$found" = "$2" ] || fail "$1: trained $found times, expected $2"
}

# Runs are scored, and models removed, while others are trained.
echo "find $directory/one/runs -name '*.score' | wc -l >>$directory/finished" >end
build one -j 2
rm end
ran "a sweep" 8
[ "$(sort -n finished | tail -n 1)" -ge 5 ] || fail "no run was scored before the last was trained"
sed 's/  */\t/g' log | grep -qFx "$(sed -n 2p one/table.tsv)" || fail "the table is not shown"
grep -q "^best: one/best, batch._rate.e-3_epochs2_seed., dev accuracy $(cut -f 1 one/best.tsv)" log || fail "the best run is not shown"

# Each run is that of bert-train; the table has the mean and deviation of its scores, and the best model is
# kept.
for batch in 4 8; do
  for rate in 3e-3 1e-3; do
    for seed in 1 2; do
      run=batch${batch}_rate${rate}_epochs2_seed$seed
      bert-train --task classify -m "$models/bare" --epochs 2 --batch-size $batch --lr $rate --seed $seed --dev dev.tsv \
        --out "alone/$run" train.tsv | tail -n 1 | sed 's/.*"dev_accuracy":\([^,]*\).*/\1/' >score
      cmp score "one/runs/$run.score" || fail "another score of $run"
      echo "$run $(cat score)"
    done
  done
done >scores
awk '{
  key = $1; sub(/_seed.*/, "", key)
  if (key in first) {
    mean = (first[key] + $2) / 2; d = $2 - first[key]
    split(key, part, "_")
    printf "%.4f\t%.4f\t%.4f\t2\t%s\t%s\t2\n", mean, sqrt(d * d / 2), (d > 0 ? $2 : first[key]), substr(part[1], 6), substr(part[2], 5)
  } else first[key] = $2
}' scores | LC_ALL=C sort >expected
[ "$(wc -l <expected)" = 4 ] || fail "the test compares nothing"
tail -n +2 one/table.tsv | LC_ALL=C sort | cmp - expected || fail "another table: $(cat one/table.tsv)"
tail -n +2 one/table.tsv | LC_ALL=C sort -t "$(printf '\t')" -c -k 1,1gr || fail "the best setting is not first"
best=$(LC_ALL=C sort -k 2,2gr -k 1,1 scores | sed 's/ .*//; q')
cmp "alone/$best/model.safetensors" one/best/model.safetensors || fail "the best model is another"
[ "$(find one/runs -name model.safetensors | wc -l)" = 1 ] || fail "other models stayed"
[ -z "$(find one/runs -name checkpoints)" ] || fail "checkpoints stayed"
build one
ran "nothing to do" 0

# More settings: only these are trained. Fewer: nothing is lost.
build one RATES=2e-3 BATCH_SIZES=4 SEEDS='1 2 3'
ran "another rate" 3
[ "$(wc -l <one/table.tsv)" = 6 ] || fail "not all settings are in the table"
build one RATES=2e-3 BATCH_SIZES=4 SEEDS=1
ran "fewer settings" 0
rm -r "one/runs/$(cut -f 2 one/best.tsv)"
tried build one && fail "accepted: the best model was removed, and its rate is not in the grid"
grep -q 'best was deleted' log || fail "does not say that the best model was deleted"
build one RATES='3e-3 1e-3 2e-3' SEEDS='1 2 3'
ran "the best model was removed" 8
[ -e one/best/model.safetensors ] || fail "the best model is missing"
few='BATCH_SIZES=8 RATES=3e-3 SEEDS=1'
# shellcheck disable=SC2086  # few is a list of words
build one $few METRIC=matthews
ran "another metric" 1
# shellcheck disable=SC2086
tried build one $few METRIC=f1 && fail "accepted: a metric that the log lacks"
grep -q 'no dev_f1' log || fail "does not say which metric is missing"

# The lowest loss is the best. Here the tool is a table of losses, and the last column is that of the option --seed.
mv bin/bert-train whole
cat >bin/bert-train <<'END'
#!/bin/sh
echo bert-train >>ran
while [ $# -gt 0 ]; do
  case $1 in --lr) rate=$2 ;; --seed) seed=$2 ;; --out) out=$2 ;; esac
  shift
done
case $rate-$seed in 3e-3-1) loss=0.5 ;; 3e-3-2) loss=1.5 ;; 1e-3-1) loss=0.75 ;; 1e-3-2) loss=0.625 ;; esac
mkdir -p "$out"
echo '{}' >"$out/config.json"
echo "{\"step\":1,\"dev_loss\":$loss,\"dev_accuracy\":0.5}"
END
chmod +x bin/bert-train
build lowest BATCH_SIZES=8 METRIC=loss
ran "the lowest loss" 4
printf '%s\t%s\t%s\t2\t8\t%s\t2\n' 0.6875 0.0884 0.6250 1e-3 1.0000 0.7071 0.5000 3e-3 >lowest.tsv
sed 1d lowest/table.tsv | cmp - lowest.tsv || fail "another table of losses: $(cat lowest/table.tsv)"
head -n 1 lowest/table.tsv | grep -q '^mean	deviation	best	runs	' || fail "another header line: $(cat lowest/table.tsv)"
[ "$(cat lowest/best.tsv)" = "0.5	batch8_rate3e-3_epochs2_seed1" ] || fail "not the lowest loss: $(cat lowest/best.tsv)"
[ -e lowest/best/config.json ] && [ "$(find lowest/runs -name config.json | wc -l)" = 1 ] || fail "not the model of the lowest loss"
build lowest BATCH_SIZES=8 METRIC=loss INPUT="--text-field 'Review (text)' --pair-field \"it's\""
ran "a field with quotes" 4
build lowest BATCH_SIZES=8 METRIC=loss INPUT="--text-field 'Review (text)' --pair-field \"it's\""
ran "a field with quotes, again" 0
mv whole bin/bert-train

# Killed at step 8 of some run, which then continues; and stopped by a signal to make.
grep '	4	[^	]*	2$' expected >expected4
best=$(grep ^batch4 scores | LC_ALL=C sort -k 2,2gr -k 1,1 | sed 's/ .*//; q')
for end in 'kill -9 $PPID; exit' 'read -r _ _ _ make _ </proc/$PPID/stat; kill -TERM $make; sleep 1'; do
  rm -rf two
  run=two/runs/batch4_rate1e-3_epochs2_seed2
  echo "[ ! -e $directory/$run/checkpoints/step-00000008 ] || { $end; }" >end
  tried build two BATCH_SIZES=4 && fail "the sweep was not ended by $end"
  rm end
  printf '{"step":8,"lo' >>$run.jsonl  # half a line, as a power failure may leave it
  [ ! -d "$run/checkpoints" ] || flock --nonblock "$run/checkpoints" true || fail "bert-train outlives make"
  [ ! -e two/table.tsv ] || fail "a table is there after $end"
  done=$(find two/runs -name '*.score' | wc -l)
  build two BATCH_SIZES=4
  ran "after $end" $((4 - done))
  tail -n +2 two/table.tsv | LC_ALL=C sort | cmp - expected4 || fail "another table after $end"
  grep -v '^{"step":[0-9]*,"[^{}]*}$' $run.jsonl && fail "the training log has half a line after $end"
  cmp "alone/$best/model.safetensors" two/best/model.safetensors || fail "another best model after $end"
done

# Halving: all settings once, the better two of four again for longer.
build half halving EPOCHS='1 2'
ran "halving" 12
cd half/runs
for setting in batch4_rate3e-3 batch4_rate1e-3 batch8_rate3e-3 batch8_rate1e-3; do
  cat ${setting}_epochs1_seed?.score | awk -v name=$setting '{ sum += $1 } END { printf "%.9f\t%s\n", sum / NR, name }'
done | LC_ALL=C sort -k 1,1gr -k 2 | sed 2q | cut -f 2 | LC_ALL=C sort >../better
find . -name '*_epochs2_*.score' | sed 's|./||; s/_epochs2.*//' | LC_ALL=C sort -u | cmp - ../better || fail "other settings than the better half"
[ "$(find . -name '*_epochs2_*.score' | wc -l)" = 4 ] || fail "not all seeds"
cd ../..
build half halving EPOCHS='1 2'
ran "halving again" 0
[ "$(make -n -f "$examples/sweep.mk" halving OUT=five TASK=classify TRAIN=train.tsv DEV=dev.tsv RATES='1 2' | grep -c '^bert-train')" = 4 ] ||
  fail "make -n does not show the first round"

# All models can be kept; the paper's grid is the default.
build three KEEP=all BATCH_SIZES=8
[ "$(find three/runs -name model.safetensors | wc -l)" = 4 ] || fail "not all models are kept"
make -n -f "$examples/sweep.mk" OUT=four TASK=classify TRAIN=train.tsv DEV=dev.tsv >log
[ "$(grep -c '^bert-train' log)" = 18 ] || fail "the default grid has not 18 points"
grep -q -e '--batch-size 32 --lr 5e-5 --epochs 3' log || fail "a point of the default grid is missing"
tried build four TASK= && fail "accepted: no task"
grep -q 'TASK=NAME says' log || fail "does not say that TASK is missing"
