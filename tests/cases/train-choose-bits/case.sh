#!/bin/sh
# Fine-tuning for choices: equal bytes for any number of threads, and for 9 steps = 4 + 5.
. "$CASE/../lib/choices.sh"
parts() { train --steps 9 --batch-size 6 --accumulate 2 --save-every 4 --keep 9 --out "$@" train.jsonl >/dev/null; }
parts whole -j 1
parts four -j 4
cp -R whole stopped
rm -r stopped/model.safetensors stopped/checkpoints/step-00000008 stopped/checkpoints/step-00000009
parts stopped --resume
for run in four stopped; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done
