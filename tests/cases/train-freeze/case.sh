#!/bin/sh
# --freeze and --layer-decay: frozen layers keep their bits, others change.
. "$CASE/../lib/sentences.sh"
. "$CASE/../lib/tensors.sh"
records 90 class >train.jsonl
train --task classify --epochs 1 --freeze 1 --out frozen train.jsonl >/dev/null
train --task classify --epochs 1 --layer-decay 0.5 --out slow train.jsonl >/dev/null
train --task classify --freeze 2 --out none train.jsonl
# Frozen layers have no gradient, so they do not count in gradient clipping.
norm() { train --task classify --steps 1 --lr 0 --dropout 0 "$@" train.jsonl | sed 's/.*"gradient_norm":\([0-9.]*\).*/\1/'; }
echo "$(norm --out all) $(norm --freeze 1 --out upper)" | awk '{ print ($2 < $1 ? "a smaller norm" : "not a smaller norm: " $0) }'
for name in embeddings.word_embeddings.weight encoder.layer.0.output.dense.weight pooler.dense.weight; do
  for model in frozen slow; do
    before=$(tensor "$MODELS/bare/model.safetensors" "$name" | cksum)
    after=$(tensor "$model/model.safetensors" "bert.$name" | cksum)
    if [ "$before" = "$after" ]; then same=yes; else same=no; fi
    echo "$name of $model as before: $same"
  done
done
