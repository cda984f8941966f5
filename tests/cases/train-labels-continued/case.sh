#!/bin/sh
# Continued training keeps the labels of the model; a new label is an error.
. "$CASE/../lib/labels.sh"
train --task classify --out first r.jsonl
on() { bert-train -m first --task classify --batch-size 4 --steps 1 --lr 0 --dropout 0 --out second "$@" >/dev/null && cmp first/model.safetensors second/model.safetensors && echo 'the same model'; rm -rf second; }
records '"b"' '"a"' >fewer.jsonl
on fewer.jsonl
on <fewer.jsonl
records '"b"' '"new"' >more.jsonl
on more.jsonl 2>&1 | sed 's/, line.*//; s/byte.*/byte N/; s/char.*/byte N/'
# A run that is resumed has its labels.
bert-train -m "$MODELS/bare" --task classify --labels a,b,c --steps 1 --out run r.jsonl >log
bert-train -m "$MODELS/bare" --task classify --labels c,b,a --steps 1 --out run --resume r.jsonl
bert-train -m "$MODELS/bare" --task classify --labels a,b,c --steps 1 --out best --dev fewer.jsonl --best f2 r.jsonl
echo "exit $?"
