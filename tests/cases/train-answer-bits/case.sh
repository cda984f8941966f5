#!/bin/sh
# Fine-tuning for answers: equal bytes for any number of threads, and for 9 steps = 4 + 5, resumed between two
# windows of a record.
. "$CASE/../lib/answers.sh"
records 120 3 >train.jsonl
parts() { train --steps 9 --batch-size 9 --save-every 4 --keep 9 --seed 5 --out "$@" train.jsonl >/dev/null; }
parts whole -j 1
parts four -j 4
cp -R whole stopped
rm -r stopped/model.safetensors stopped/checkpoints/step-00000008 stopped/checkpoints/step-00000009
parts stopped --resume
parts recomputed --recompute
for run in four stopped recomputed; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done
grep -o '"within": *[0-9]*' whole/checkpoints/step-00000004/state.json
parts stopped --resume --stride 9 || echo "exit $?"
