#!/bin/sh
# A diverging run stops and reports the step and the last checkpoint before it.
golden=$MODELS/../training
train() { bert-train --task pretrain -m "$golden/narrow" --batch-size 6 --no-shuffle --clip 0 --steps 20 --out "$@" "$golden/records.jsonl" 2>&1 >/dev/null | sed 's/loss is [^,]*/loss is N/; s/gradient [^;]*/gradient N/'; }
train a --lr 1e6 --warmup 0
train b --lr 1e6 --warmup 2
train c --lr 1e6 --warmup 2 --save-every 1
ls c/checkpoints
ls c
