#!/bin/sh
# A model is written to a new directory or over a model, but not over the one that training starts from.
golden=$MODELS/../training
train() { bert-train --task pretrain -m "$golden/narrow" --steps 1 "$@" "$golden/records.jsonl" >/dev/null; echo "exit $?"; }
mkdir other
echo mine >other/notes.txt
train --out other
ls other
echo file >file
train --out file
cat file
train --out missing/deep/model
ls missing/deep/model/model.safetensors
mkdir model
cp "$golden/narrow/"* model
chmod u+w model/*
echo mine >model/notes.txt
train --out model
cmp -s "$golden/narrow/model.safetensors" model/model.safetensors && echo kept
train --out model --force
cmp -s "$golden/narrow/model.safetensors" model/model.safetensors || echo replaced
cat model/notes.txt
bert-train --task pretrain -m model --out ../work/model/ --steps 1 "$golden/records.jsonl"
