#!/bin/sh
# --patience stops a run after some evaluations without a better result.
. "$CASE/../lib/sentences.sh"
records 90 class >train.jsonl
records 40 class | tail -n 25 >dev.jsonl
train --task classify --epochs 50 --batch-size 15 --lr 0 --best accuracy --patience 2 --dev dev.jsonl --out patient train.jsonl | sed 's/,.*//'
# The accuracies are a, a, b, c, c, c: at the fifth evaluation the second one no longer counts.
train --task classify --epochs 8 --batch-size 10 --lr 1e-3 --best accuracy --patience 2 --dev dev.jsonl --out better train.jsonl | tail -n 1 | sed 's/,.*//'
# A run that is resumed after its end is not evaluated again: that would be one more without a better result.
for _ in 1 2 3; do train --task classify --epochs 8 --batch-size 10 --lr 1e-3 --best accuracy --patience 2 --dev dev.jsonl --out better --resume train.jsonl | grep -c dev_; done
grep -h '"stale"' better/checkpoints/*/state.json
