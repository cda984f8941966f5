#!/bin/sh
# Skipped records are reported once in all epochs, and counted.
train() { bert-train --task pretrain -m "$MODELS/../training/narrow" --no-shuffle --batch-size 2 --out out "$@" >log; echo "exit $?"; }
good='{"input_ids":[2,5,6,3],"masked_lm_positions":[1],"masked_lm_ids":[7]}'
{ echo "$good"; echo '{"text":"king"}'; echo "$good"; echo '{"input_ids":[]}'; } >r.jsonl
train --on-error skip --epochs 3 r.jsonl
sed 's/,.*/}/' log
