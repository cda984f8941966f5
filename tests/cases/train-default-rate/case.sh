#!/bin/sh
# The default learning rate depends on task and hidden size and is in the first line of the training log.
printf 'label\ttext\na\tking\nb\tdog\n' >train.tsv
rate() { sed -n '1s/.*"peak_lr":\([^,}]*\).*/\1/p' log; }
train() { bert-train --task "$1" --preset "$2" --vocab "$MODELS/bare/vocab.txt" --epochs 2 --log-every 1 --batch-size 2 -o model -q "$3" >log; rate; rm -r model; }
for preset in tiny mini small; do train classify $preset train.tsv; done
printf '{"text":"a","choices":["king","dog"],"label":0}\n' >choose.jsonl
train choose mini choose.jsonl
bert-train --task classify -m "$MODELS/bare" --lr 1e-3 --epochs 1 -o model train.tsv >log
grep -c peak_lr log
rm -r model
bert-train -v --task classify -m "$MODELS/bare" --epochs 1 -o model train.tsv 2>&1 >log | grep 'learning rate'
