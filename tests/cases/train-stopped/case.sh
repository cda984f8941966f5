#!/bin/sh
# A signal ends a run after the step it is in, with a snapshot; it goes on to the bytes of a run that was not stopped.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
# options OUT: words without spaces in them.
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 2 --log-every 1 --epochs 50 --dev open.jsonl --eval-every 400 --best mlm_loss"
# shellcheck disable=SC2086
bert-train $options --out whole open.jsonl >whole.jsonl

# Lines of the journal that have come, 0 before there is one.
lines() { if [ -e journal ]; then wc -l <journal; else echo 0; fi; }
# stop SIGNAL AFTER OPTION...: starts the run, and sends SIGNAL when the journal has AFTER lines more.
stop() {
  signal=$1 wanted=$(($(lines) + $2))
  shift 2
  # shellcheck disable=SC2086
  bert-train $options --out stopped "$@" open.jsonl >>journal 2>>said &
  while [ "$(lines)" -lt $wanted ]; do sleep 0.01; done
  kill -s "$signal" $!
  wait $! 2>/dev/null
  echo "$signal: exit $?"
}
stop TERM 40
stop HUP 1000 --resume
[ -e stopped/model.safetensors ] && echo 'a model, the best so far'
stop TERM 20 --resume -j 1
# shellcheck disable=SC2086
bert-train $options --out stopped --resume open.jsonl >>journal
cmp whole/model.safetensors stopped/model.safetensors && echo 'the same model'
figures() { sed 's/,"tokens_per.*//' "$1"; }
figures whole.jsonl >whole.figures
figures journal | cmp - whole.figures && echo 'the same journal, no line twice'
sed 's/step [0-9]*/step N/' said
echo '--- from a pipe, through a buffer: the same records again, those that were used passed over'
endless() { awk 'BEGIN { for (;;) printf "{\"input_ids\":[2,20,21,22,23,24,25,26,27,28,29,3],\"document\":%d,\"instance\":0}\n", n++ }' 2>/dev/null; }
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 4 --log-every 1 --steps 2500 --shuffle-buffer 300"
# shellcheck disable=SC2086
endless | bert-train $options --out whole-pipe >/dev/null
mkfifo records
: >piped.jsonl
endless >records &
# shellcheck disable=SC2086
bert-train $options --out piped - <records >>piped.jsonl 2>/dev/null &
until [ "$(wc -l <piped.jsonl)" -ge 100 ]; do sleep 0.01; done
kill -s TERM $!
wait $! 2>/dev/null
[ -e piped/model.safetensors ] && echo 'it was over already'
# shellcheck disable=SC2086
endless | bert-train $options --out piped --resume -v 2>&1 >/dev/null | sed 's/step [0-9]*, .*/step N/'
cmp whole-pipe/model.safetensors piped/model.safetensors && echo 'the same model'
echo '--- while it waits for a pipe'
mkfifo pipe
bert-train --task pretrain -m "$golden/narrow" --steps 5 --batch-size 2 --out waits - <pipe &
exec 3>pipe
head -n 7 open.jsonl >&3
sleep 0.3
kill -s TERM $!
wait $! 2>/dev/null
echo "exit $?"
exec 3>&-
[ -e waits ] || echo 'nothing is left'
