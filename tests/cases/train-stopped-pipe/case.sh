#!/bin/sh
# A run from a pipe with a shuffle buffer is stopped and resumed: records already used are skipped.
. "$CASE/../lib/stop_after.sh"
golden=$MODELS/../training
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
endless | bert-train $options --out piped --resume -v 2>&1 >/dev/null | sed '/multiplies/d; /checked/d; s/step [0-9]*, .*/step N/'
cmp whole-pipe/model.safetensors piped/model.safetensors && echo 'the same model'
