#!/bin/sh
# Sinusoidal position embeddings do not depend on the seed.
. "$CASE/../lib/tensors.sh"
golden=$MODELS/../training
train() { bert-train --task pretrain -q --steps 2 --batch-size 8 "$@" >/dev/null; }
for seed in 1 2; do
  for start in normal sinusoid; do
    train --preset tiny --vocab "$golden/narrow/vocab.txt" --lr 0 --init-positions $start --seed $seed --out $start$seed "$golden/records.jsonl"
    tensor $start$seed/model.safetensors bert.embeddings.position_embeddings.weight >$start$seed.positions
  done
done
cmp sinusoid1.positions sinusoid2.positions && echo same
cmp -s normal1.positions normal2.positions || echo other
cmp -s sinusoid1/model.safetensors sinusoid2/model.safetensors || echo 'and all else other'
