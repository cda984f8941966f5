#!/bin/sh
# Heads found in the weights count, and training starts from any head.
. "$CASE/../lib/try_models.sh"
echo '==== heads that config.json does not name, as next in bert-base-uncased'
variant masked-only pretraining s/BertForPreTraining/BertForMaskedLM/
try masked-only --task next
echo '==== without architectures the weights tell'
variant unnamed pretraining 's/BertForPreTraining/BertModel/'
try unnamed
try unnamed --task fill --top-k 1
echo '==== training starts from any head'
echo '{"words":["old","king"],"tags":["O","B-PER"]}' >train.jsonl
bert-train -q -m classify --task tag --steps 1 --out trained train.jsonl >log && echo '{"text":"the king"}' | bert-predict -m trained --task tag --keep prediction | sed 's/\[.*/[...]/'
