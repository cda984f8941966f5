#!/bin/sh
# --best takes the metrics of --dev, but not thresholds; questions have a maximum length.
. "$CASE/../lib/answers.sh"
records 120 3 >train.jsonl
records 150 3 | tail -n 40 >dev.jsonl
train --epochs 2 --batch-size 40 --best best_f1 --dev dev.jsonl --out best train.jsonl | grep -c dev_best_f1
train --steps 1 --best best_f1_threshold --dev dev.jsonl --out other train.jsonl
train --steps 1 --max-question-length 21 --out other train.jsonl
