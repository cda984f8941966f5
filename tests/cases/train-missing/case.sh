#!/bin/sh
# A missing or unsuitable model, vocabulary, config.json or input is rejected before training starts.
golden=$MODELS/../training
# Removes the list of weight formats from a message.
short() { sed 's/no weights, .*/no weights/'; }
train() { bert-train --task pretrain --out new --steps 1 "$@"; }
mkdir empty
train -m empty "$golden/records.jsonl" 2>&1 | short
train -m missing "$golden/records.jsonl"
ln -s "$golden" no-model
train -m no-model "$golden/records.jsonl" 2>&1 | short
train --preset tiny --vocab missing.txt "$golden/records.jsonl"
train --config missing.json --vocab "$golden/narrow/vocab.txt" "$golden/records.jsonl"
head -n 100 "$golden/narrow/vocab.txt" >short.txt
sed 's/"vocab_size": 150/"vocab_size": 99/' "$golden/narrow/config.json" >few.json
train --config few.json --vocab short.txt "$golden/records.jsonl"
train -m "$golden/narrow" --max-length 49 "$golden/records.jsonl"
echo "exit $?"
train -m "$golden/narrow" missing.jsonl
[ -e new ] || echo 'nothing was made'
