#!/bin/sh
# A damaged checkpoint is skipped; if all are damaged, it is an error.
. "$CASE/../lib/resume.sh"
train whole --no-shuffle open.jsonl >whole.jsonl
train damaged --no-shuffle --save-every 5 --keep 3 open.jsonl >/dev/null
ls damaged/checkpoints
printf 'x' | dd of=damaged/checkpoints/step-00000020/optimizer.safetensors bs=1 seek=5000 conv=notrunc 2>/dev/null
: >damaged/checkpoints/step-00000015/state.json
rm damaged/model.safetensors
train damaged --no-shuffle --resume -v --save-every 5 open.jsonl 2>said >/dev/null
grep -v 'multiplies\|checked' said >&2
same damaged whole
for file in damaged/checkpoints/*/optimizer.safetensors; do : >"$file"; done
train damaged --no-shuffle --resume open.jsonl
echo "exit $?"
