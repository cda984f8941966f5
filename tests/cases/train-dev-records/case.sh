#!/bin/sh
# Bad records in --dev are found before training starts.
train() { bert-train --task pretrain -m "$MODELS/../training/narrow" --no-shuffle --batch-size 2 --out out "$@" >log; echo "exit $?"; }
good='{"input_ids":[2,5,6,3],"masked_lm_positions":[1],"masked_lm_ids":[7]}'
{ echo "$good"; echo '{"text":"king"}'; echo "$good"; echo '{"input_ids":[]}'; } >r.jsonl
train --dev r.jsonl r.jsonl
: >empty.jsonl
echo "$good" >good.jsonl
train --dev empty.jsonl good.jsonl
echo "$good" | sed 's/}/,"next_sentence_label":0}/' >labelled.jsonl
train --dev labelled.jsonl --on-error skip r.jsonl
train --dev r.jsonl --on-error skip labelled.jsonl
train --dev labelled.jsonl --best nsp_loss --on-error skip labelled.jsonl
sed 's/:[-+.e0-9]*/:N/g' log
ls -d out/checkpoints/*
