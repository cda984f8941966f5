#!/bin/sh
# Usage errors are one line with exit code 2, and no output is created: tasks, models, missing options.
try() { echo "bert-train $*" >&2; bert-train "$@" </dev/null; echo "exit $?"; }
pretrain() { try --task pretrain --out out "$@"; }
narrow=$MODELS/../training/narrow
cp "$narrow/vocab.txt" "$narrow/config.json" .
cp "$MODELS/../training/records.jsonl" r.jsonl
ln -s "$narrow" narrow
try
for task in classify regress multilabel tag answer choose sing; do try --task $task; done
try --task pretrain
try --task pretrain -m narrow r.jsonl
pretrain
pretrain -m narrow --preset tiny
pretrain --preset tiny --config config.json --vocab vocab.txt
pretrain -m narrow --vocab vocab.txt
pretrain --preset tiny
pretrain --preset huge --vocab vocab.txt
pretrain --preset tiny --vocab vocab.txt --moments
pretrain -m narrow --init-positions sinusoid
pretrain -m narrow --cased --uncased
pretrain -m narrow --dtype int8
pretrain -m narrow --dropout 1
pretrain -m narrow
pretrain -m narrow -
ls
echo '--- values that cannot be meant'
classify() { try --task classify -m narrow --out out "$@" --steps 1 r.jsonl; }
classify --max-length 2
classify --labels a,b,a
classify --label-field text
classify --text-field label
classify --pair-field text
classify --text-field text_pair
classify --plot p.png
ls
bert-train -V | grep -c '^MPI: '
