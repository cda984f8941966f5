#!/bin/sh
# Fine-tuning for sentences: equal bytes for any number of threads, and for 9 steps = 4 + 5.
. "$CASE/../lib/sentences.sh"
parts() { train --task classify --labels bad,good --batch-size 10 --steps 9 --no-shuffle --out "$@"; }
records 90 class >train.jsonl
parts whole -j 1 train.jsonl >whole.jsonl
parts four -j 4 <train.jsonl >four.jsonl
head -n 40 train.jsonl | parts stopped >stopped.jsonl
parts stopped --resume <train.jsonl >>stopped.jsonl
for run in four stopped; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done
