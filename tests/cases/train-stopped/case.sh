#!/bin/sh
# A signal stops a run after the current step, with a checkpoint; the resumed run ends with the bytes of an
# uninterrupted one.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
# options OUT: words without spaces.
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 2 --log-every 1 --epochs 50 --dev open.jsonl --eval-every 400 --best mlm_loss"
# shellcheck disable=SC2086
bert-train $options --out whole open.jsonl >whole.jsonl

mkfifo out
# stop_after LINES SIGNAL OUTPUT COMMAND...: runs COMMAND, appends its output to OUTPUT and sends SIGNAL after LINES lines.
# The pipe fills up and blocks COMMAND, so it cannot exit earlier. env undoes nohup, which ignores SIGHUP.
stop_after() {
  left=$1 signal=$2 output=$3
  shift 3
  env --default-signal=HUP "$@" >out 2>>said &
  {
    while [ "$left" -gt 0 ] && IFS= read -r line; do printf '%s\n' "$line" && left=$((left - 1)); done
    kill -s "$signal" $!
    cat
  } <out >>"$output"
  wait $! 2>/dev/null
}
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
echo '--- from a pipe with a shuffle buffer: records already used are skipped'
endless() { awk 'BEGIN { for (;;) printf "{\"input_ids\":[2,20,21,22,23,24,25,26,27,28,29,3],\"document\":%d,\"instance\":0}\n", n++ }' 2>/dev/null; }
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 4 --log-every 1 --steps 2500 --shuffle-buffer 300"
# shellcheck disable=SC2086
endless | bert-train $options --out whole-pipe >/dev/null
mkfifo records
endless >records &
# shellcheck disable=SC2086
stop_after 100 TERM piped.jsonl bert-train $options --out piped records
[ -e piped/model.safetensors ] && echo 'it was over already'
# shellcheck disable=SC2086
endless | bert-train $options --out piped --resume -v 2>&1 >/dev/null | sed '/multiplies/d; s/step [0-9]*, .*/step N/'
cmp whole-pipe/model.safetensors piped/model.safetensors && echo 'the same model'
echo '--- a signal while the tool waits for a pipe'
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
