#!/bin/sh
# Fine-tuning for any number of choices: the dev metrics equal those of bert-predict and bert-score.
. "$CASE/../lib/choices.sh"
train --batch-size 10 --epochs 8 --best accuracy --dev dev.jsonl --out model train.jsonl >log
tail -n 1 log | sed 's/.*dev_accuracy":\([0-9.]*\)}/\1/' >expected
bert-predict -m model dev.jsonl | bert-score --task choose --metric accuracy | sed 's/.*accuracy":\([0-9.]*\)}/\1/' | diff expected - &&
  awk '{ print ($1 > 0.95 ? "learned" : "not learned") }' expected
bert-predict -m model dev.jsonl | head -n 2 | sed 's/[0-9]\.[0-9e.-]*/N/g'
grep -A 1 architectures model/config.json
