#!/bin/sh
# model.mk trains a model on a folder of texts. After a kill, the next run ends with the same bytes. Finished
# steps are not repeated, and a model trained with other texts or options is not overwritten.
# Usage: model.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash parallel
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

trace "$tools" vocab tokenize nsp-pairs mask train
trace_checkpoints

mkdir texts
for number in $(seq 10 29); do awk -v seed="$number" -f "$here/text.awk" >"texts/$number.txt"; done

# build OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
options='--batch-size 4 --save-every 4 --eval-every 6 --log-every 2'
build() {
  out=$1
  shift
  : >ran
  make -f "$examples/model.mk" TEXTS=texts OUT="$out" POOL=4 SHARD=8 "VOCAB_OPTIONS=--size 90" PRESET=tiny STEPS=12 \
    LENGTH=32 LONG=64 LONG_STEPS=10 HELD_OUT=3 "TRAIN_OPTIONS=$options" "$@" >log 2>&1 ||
    fail "make fails: $out $*"
}
# ran WHAT COUNTS: checks how often bert-vocab, -tokenize, -nsp-pairs, -mask and -train ran in the last build.
ran() {
  found=$(for tool in vocab tokenize nsp-pairs mask train; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}
# told OUT MODEL: the training log without times.
told() { sed 's/,"tokens_per_second".*//' "$1/$2.jsonl"; }
# same WHAT OUT OTHER MODEL: compares the bytes of the model, and the training log.
same() {
  for file in config.json model.safetensors vocab.txt tokenizer_config.json; do
    cmp "$2/$4/$file" "$3/$4/$file" || fail "$1: another $4/$file"
  done
  [ "$(told "$2" "$4")" = "$(told "$3" "$4")" ] || fail "$1: another log of $4: $(told "$2" "$4")"
}
# end_at FOLDER COMMANDS: makes gnuplot run COMMANDS once the model in FOLDER has its checkpoint of step 8.
# gnuplot's parent is bert-train, which has replaced make's shell.
end_at() { echo "checkpoint=$directory/$1/checkpoints/step-00000008; [ ! -e \$checkpoint ] || { $2; }" >end; }
# refused WHAT MESSAGE ARGUMENT...: checks that building `one` fails and leaves the model unchanged.
refused() {
  what=$1 message=$2
  shift 2
  cp one/model/model.safetensors before
  tried build one "$@" && fail "accepted: $what"
  grep -q -e "$message" log || fail "$what: does not say: $message"
  cmp before one/model/model.safetensors || fail "$what: the model was changed"
}

build one
ran "a first build" "3 3 3 0 1"
[ "$(sed 's/,.*//; s/.*://' one/model.jsonl | paste -s -d ' ')" = '2 4 6 6 8 10 12 12' ] ||
  fail "not all steps were told"
[ "$(grep -c dev_loss one/model.jsonl)" = 2 ] || fail "the model was not measured"
[ -s one/model.svg ] || fail "no plot"
build one
ran "nothing to do" "0 0 0 0 0"

# The second model continues from the first, with the second length.
build one model-64
ran "the second length" "0 0 3 0 1"
grep -q '"input_ids":\[\([0-9]*,\)\{40\}' one/shards/000000000/instances-64.jsonl || fail "no longer instances"
# shellcheck disable=SC2086  # options is a list of words
bert-train --task pretrain -m one/model --moments --steps 10 $options --dev one/dev/instances-64.jsonl --out direct \
  one/shards/*/instances-64.jsonl >log 2>&1 || fail "bert-train by itself"
cmp direct/model.safetensors one/model-64/model.safetensors || fail "the second model is another"
build one model-64
ran "nothing to do for the second" "0 0 0 0 0"

# Killed in the middle of either run, also before the first checkpoint was complete; make and bert-train
# stopped by a signal to make.
for model in model model-64; do
  for end in 'rm -r $checkpoint; kill -9 $PPID; exit' 'rm -r "${checkpoint%/*}"; kill -9 $PPID; exit' \
    'read -r _ _ _ make _ </proc/$PPID/stat; kill -TERM $make; sleep 1'; do
    rm -rf "two/$model" "two/$model.done"
    end_at "two/$model" "$end"
    tried build two $model && fail "$model was not ended by $end"
    rm end
    [ ! -d "two/$model/checkpoints" ] || flock --nonblock "two/$model/checkpoints" true ||
      fail "bert-train outlives make after $end"
    printf '{"step":8,"lo' >>"two/$model.jsonl"  # half a line, as a power failure may leave it
    [ ! -e "two/$model.done" ] && [ ! -e "two/$model/config.json" ] || fail "$model is there after $end"
    grep -q '^{"step":8,' "two/$model.jsonl" || fail "$model was ended before its step 8"
    grep -q '^{"step":10,' "two/$model.jsonl" && fail "$model was not ended at its step 8"
    build two $model
    ran "$model after $end" "0 0 0 0 1"
    same "$model after $end" two one $model
  done
done

# Changed texts: the model is not retrained unless requested.
touch texts/12.txt
build one
ran "a touched text" "2 1 1 0 0"
tac texts/12.txt >turned
cp texts/12.txt kept
mv turned texts/12.txt
refused "other texts" 'to start again, rm -r one/model'
cp kept texts/12.txt
build one
mv kept texts/12.txt
echo 'Zyzzyva zyzzyva.' >>texts/12.txt
refused "other texts, again" 'to start again, rm -r one/model'
rm -r one/model
build one
ran "starting again" "0 0 0 0 1"
build new
same "starting again" one new model
rm -r new/model
build new
ran "a model that was removed" "0 0 0 0 1"
same "a model that was removed" one new model
refused "another first model" 'to start again, rm -r one/model-64' model-64

# Options that would change the model, and options that would not.
refused "another rate" '--lr: ' "TRAIN_OPTIONS=$options --lr 1e-3"
build one "TRAIN_OPTIONS=$options --keep 1"
ran "one checkpoint" "0 0 0 0 1"
same "one checkpoint" one new model
rm -r one/model/checkpoints
build one "TRAIN_OPTIONS=$options --keep 1"
ran "without checkpoints" "0 0 0 0 0"
refused "without checkpoints" 'no checkpoint to resume from'

# The best model so far is written before the run ends.
for begin in first again; do
  rm -rf best/model
  end_at best/model 'rm -r $checkpoint; kill -9 $PPID; exit'
  tried build best "TRAIN_OPTIONS=$options --best loss" && fail "$begin: the best model's run was not killed"
  rm end
  [ -e best/model/config.json ] || fail "$begin: no best model yet"
  build best "TRAIN_OPTIONS=$options --best loss"
  ran "$begin: after the best model was written" "0 0 0 0 1"
done

# Data prepared by GNU parallel; no held-out texts; one epoch.
build side parallel
ran "data in parallel" "3 2 2 0 0"
build side
ran "a model of them" "0 1 1 0 1"
same "data in parallel" side new model
build none HELD_OUT=0 STEPS= "TRAIN_OPTIONS=--batch-size 4 --epochs 1"
grep -q dev_loss none/model.jsonl && fail "measured on nothing"
exit 0
