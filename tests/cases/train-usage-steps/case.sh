#!/bin/sh
# Usage errors are one line with exit code 2, and no output is created: steps, rates, batches, dev sets.
try() { echo "bert-train $*" >&2; bert-train "$@" </dev/null; echo "exit $?"; }
pretrain() { try --task pretrain --out out "$@"; }
narrow=$MODELS/../training/narrow
cp "$MODELS/../training/records.jsonl" r.jsonl
ln -s "$narrow" narrow
pretrain -m narrow --epochs 2 --schedule constant
pretrain -m narrow --steps 1 --epochs 1 r.jsonl
pretrain -m narrow --steps 1 --budget 1s r.jsonl
pretrain -m narrow --budget soon r.jsonl
pretrain -m narrow --steps 0 r.jsonl
pretrain -m narrow --warmup 110% r.jsonl
pretrain -m narrow --warmup early r.jsonl
pretrain -m narrow --schedule square r.jsonl
pretrain -m narrow --optimizer sgd r.jsonl
pretrain -m narrow --beta1 1 r.jsonl
pretrain -m narrow --epsilon 0 r.jsonl
pretrain -m narrow --clip -1 r.jsonl
pretrain -m narrow --batch-size 0 r.jsonl
pretrain -m narrow --batch-size 8 --batch-tokens 100 r.jsonl
pretrain -m narrow --no-shuffle --shuffle-buffer 10 r.jsonl
pretrain -m narrow --mask-rate 0.9 --random-rate 0.2 r.jsonl
pretrain -m narrow --eval-every 5 r.jsonl
pretrain -m narrow --best loss r.jsonl
pretrain -m narrow --best beauty --dev r.jsonl r.jsonl
ls
