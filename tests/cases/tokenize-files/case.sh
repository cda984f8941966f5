#!/bin/sh
# Vocabularies, models, inputs and outputs that cannot be opened or used are one line with exit code 1.
try() { echo "bert-tokenize $*" >&2; bert-tokenize "$@" </dev/null; echo "exit $?"; }
export BERT_MODEL="$MODELS/bare"
try --vocab missing.txt
try --vocab /dev/null
grep -v CLS "$MODELS/bare/vocab.txt" >vocab.txt
try --vocab vocab.txt
try -m missing
mkdir empty
try -m empty
try missing.txt
try -o missing/out
