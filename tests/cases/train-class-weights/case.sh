#!/bin/sh
# --class-weights are balanced or given by label.
. "$CASE/../lib/labels.sh"
classify --class-weights balanced r.jsonl
classify --class-weights a=2,c=0.5 r.jsonl
for weights in balanced a=0.6666667,b=1.3333334,c=1.3333334 a=1,b=1,c=1; do
  train --task classify --class-weights $weights --dropout 0 --out "$weights" r.jsonl
done
cmp balanced/model.safetensors a=0.6666667,b=1.3333334,c=1.3333334/model.safetensors && echo 'balanced is 4/(3*2) and 4/(3*1)'
cmp -s balanced/model.safetensors a=1,b=1,c=1/model.safetensors || echo 'and not 1'
classify --class-weights z=2 r.jsonl
classify --class-weights a r.jsonl
records '"c"' '"a"' | classify --labels a,c --class-weights balanced
