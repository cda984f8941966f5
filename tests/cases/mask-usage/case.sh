#!/bin/sh
# Usage errors are one line with exit code 2; file errors have exit code 1.
try() { echo "bert-mask $*" >&2; bert-mask "$@" </dev/null; echo "exit $?"; }
export BERT_MODEL="$MODELS/bare"
try
try --mask-prob 1.5
try --mask-prob -0.1
try --mask-prob some
try --mask-rate 0.9 --random-rate 0.2
try --mask-rate 0.7 --random-rate 0.3
try --max-predictions 0
try --epoch -1
try --seed 9223372036854775807
try --seed 1.5
try --first-record -1
try --vocab missing.txt
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n[unused0]\n' >vocab.txt
try --vocab vocab.txt
try --vocab vocab.txt --random-rate 0
try --vocab vocab.txt --replace-any
try --input-format text
try --columns input_ids
