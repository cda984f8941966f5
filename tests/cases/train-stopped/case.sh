#!/bin/sh
# A signal stops a run after the current step, with a checkpoint; the resumed run ends with the bytes of an
# uninterrupted one.
. "$CASE/../lib/stop_after.sh"
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
cp open.jsonl dev.jsonl
# options OUT: words without spaces.
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 2 --log-every 1 --epochs 50 --dev dev.jsonl --eval-every 400 --best mlm_loss"
# shellcheck disable=SC2086
bert-train $options --out whole open.jsonl >whole.jsonl
stop() {
  signal=$1 lines=$2
  shift 2
  # shellcheck disable=SC2086
  stop_after "$lines" "$signal" log bert-train $options --out stopped "$@" open.jsonl
  echo "$signal: exit $?"
}
stop TERM 40
stop HUP 1000 --resume
[ -e stopped/model.safetensors ] && echo 'a model, the best so far'
stop TERM 20 --resume -j 1
# shellcheck disable=SC2086
bert-train $options --out stopped --resume open.jsonl >>log
cmp whole/model.safetensors stopped/model.safetensors && echo 'the same model'
figures() { sed 's/,"tokens_per.*//' "$1"; }
figures whole.jsonl >whole.figures
figures log | cmp - whole.figures && echo 'the same log, no line twice'
sed 's/step [0-9]*/step N/' said
