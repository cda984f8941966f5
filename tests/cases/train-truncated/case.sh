#!/bin/sh
# Truncated texts are counted once in all epochs.
. "$CASE/../lib/sentences.sh"
records 90 class >train.jsonl
train --task classify --epochs 3 --max-length 5 --out cut train.jsonl >/dev/null
bert-predict -m cut train.jsonl -o /dev/null
