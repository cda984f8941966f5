#!/bin/sh
# --weighted-layers --freeze all: the weights of layers and the head are trained, the encoder keeps its bits.
. "$CASE/../lib/sentences.sh"
. "$CASE/../lib/tensors.sh"
records 90 class >train.jsonl
train --task classify --freeze all --weighted-layers --lr 1e-2 --dev train.jsonl --out made train.jsonl >log
grep -c use_weighted_layer_sum made/config.json
for name in embeddings.word_embeddings.weight encoder.layer.0.output.LayerNorm.bias pooler.dense.weight; do
  before=$(tensor "$MODELS/bare/model.safetensors" "$name" | cksum)
  [ "$before" = "$(tensor made/model.safetensors "bert.$name" | cksum)" ] && echo "$name as before" || echo "$name trained"
done
for name in layer_weights layer_gamma; do echo "$name: $(tensor made/model.safetensors $name | od -An -v -tx4 | tr -d '\n' | wc -w) numbers"; done
# bert-predict computes the dev metrics of training, which depend on the weights.
accuracy() { sed 's/.*"\(dev_\)*accuracy":\([0-9.]*\).*/\2/'; }
predicted() { bert-predict -m "$1" train.jsonl | bert-score --task classify | accuracy; }
tail -n 1 log | accuracy >dev
predicted made | cmp - dev && echo 'the dev accuracy is that of bert-predict'
bert-train --task classify -m made --steps 0 --dev train.jsonl | accuracy | cmp - dev && echo 'and of --steps 0'
bert-convert made --out copy && cmp made/model.safetensors copy/model.safetensors && echo 'converted'
sed '/use_weighted_layer_sum/d' made/config.json >copy/config.json
bert-predict -m made --keep scores train.jsonl >with
bert-predict -m copy --keep scores train.jsonl | cmp -s - with || echo 'other scores without the weights'
# Training continues with them.
bert-train --task classify -m made --epochs 1 -o more train.jsonl >/dev/null
grep -c use_weighted_layer_sum more/config.json
bert-train --task embed --weighted-layers -o no train.jsonl
bert-train --task classify --freeze some -o no train.jsonl
