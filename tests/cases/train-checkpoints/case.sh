#!/bin/sh
# A checkpoint is a model directory that every tool opens; more --steps or --epochs extend a run.
for i in 1 2 3 4 5 6; do echo "a	the king sang $i"; echo "b	a dog was old $i"; done >rows
(printf 'label\ttext\n'; cat rows) >train.tsv
train() { bert-train --task classify -m "$MODELS/bare" --batch-size 4 --lr 1e-3 --save-every 2 --keep 9 --no-shuffle "$@" train.tsv; }
train -o model --epochs 2 >log
ls model/checkpoints model/checkpoints/step-00000006
bert-predict -m model/checkpoints/step-00000006 --drop scores,text train.tsv >last
bert-predict -m model --drop scores,text train.tsv | cmp - last && echo 'the last checkpoint is the model'
bert-predict -m model/checkpoints/step-00000002 train.tsv | cmp -s - last || echo 'an earlier one is another model'
echo '--- two more epochs; with a constant learning rate, the model equals that of one run'
train -o short --schedule constant --warmup 0 --epochs 2 >log
train -o short --schedule constant --warmup 0 --epochs 4 --resume 2>said >log
cat said
train -o long --schedule constant --warmup 0 --epochs 4 >log
cmp short/model.safetensors long/model.safetensors && echo 'the same model'
echo '--- a finished run is extended by --steps; fewer steps are an error'
train -o steps --steps 3 >log
train -o steps --steps 5 --resume 2>said >log
cat said
sed 's/,.*//' log
train -o steps --steps 4 --resume
echo "exit $?"
