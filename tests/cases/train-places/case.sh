#!/bin/sh
# Where a model may be written, and what is rejected before training starts.
golden=$MODELS/../training
# Removes the list of weight formats from a message.
short() { sed 's/no weights, .*/no weights/'; }
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
cmp -s "$golden/narrow/model.safetensors" model/model.safetensors || echo replaced
cat model/notes.txt
bert-train --task pretrain -m missing --out new --steps 1 "$golden/records.jsonl" 2>&1 | short
ln -s "$golden" no-model
bert-train --task pretrain -m no-model --out new --steps 1 "$golden/records.jsonl" 2>&1 | short
bert-train --task pretrain --preset tiny --vocab missing.txt --out new --steps 1 "$golden/records.jsonl"
bert-train --task pretrain --config missing.json --vocab "$golden/narrow/vocab.txt" --out new --steps 1 "$golden/records.jsonl"
head -n 100 "$golden/narrow/vocab.txt" >short.txt
sed 's/"vocab_size": 150/"vocab_size": 99/' "$golden/narrow/config.json" >few.json
bert-train --task pretrain --config few.json --vocab short.txt --out new --steps 1 "$golden/records.jsonl"
train --out new --max-length 49
bert-train --task pretrain -m model --out ../work/model/ --steps 1 "$golden/records.jsonl"
bert-train --task pretrain -m "$golden/narrow" --out new --steps 1 missing.jsonl
[ -e new ] || echo 'nothing was made'
echo '--- the log cannot be written'
bert-train --task pretrain -m "$golden/narrow" --steps 1 --out full "$golden/records.jsonl" >/dev/full
echo "exit $?"
bert-train --task pretrain -m "$golden/narrow" --steps 1 --out closed "$golden/records.jsonl" >&-
echo "exit $?"
echo '--- another process is training in the directory'
mkfifo pipe
bert-train --task pretrain -m "$golden/narrow" --steps 1 --batch-size 1 --out taken - <pipe >/dev/null &
exec 3>pipe
until [ -d taken/checkpoints ]; do sleep 0.01; done
sleep 0.1
bert-train --task pretrain -m "$golden/narrow" --steps 1 --out taken "$golden/records.jsonl"
head -n 1 "$golden/records.jsonl" >&3
exec 3>&-
wait $!
echo "exit $?"
