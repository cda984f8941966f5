#!/bin/sh
# Fine-tuning for tags: equal bytes for any number of threads, and for 8 steps = 4 + 4.
. "$CASE/../lib/tags.sh"
parts() { train --labels O,B-LOC,B-PER,I-PER --steps 8 --no-shuffle --out "$@"; }
parts whole -j 1 train.jsonl >/dev/null
parts four -j 4 <train.jsonl >/dev/null
head -n 40 train.jsonl | parts stopped 2>/dev/null >/dev/null
parts stopped --resume <train.jsonl >/dev/null
for run in four stopped; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done
