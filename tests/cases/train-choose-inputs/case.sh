#!/bin/sh
# Choices as input_ids instead of texts, and truncated texts.
. "$CASE/../lib/choices.sh"
echo '{"input_ids":[[2,5,3,6,3],[2,5,3,7,8,3]],"token_type_ids":[[0,0,0,1,1],[0,0,0,1,1,1]],"label":1}' >ids.jsonl
train --steps 1 --dev ids.jsonl --out ids ids.jsonl | grep -c dev_accuracy
train --steps 1 --max-length 5 --dev dev.jsonl --out cut train.jsonl | tail -n 1 | sed 's/.*dev_accuracy":\([0-9.]*\)}/\1/' >expected
bert-predict -m cut -q dev.jsonl | bert-score --task choose --metric accuracy | sed 's/.*accuracy":\([0-9.]*\)}/\1/' | diff expected - && echo same
