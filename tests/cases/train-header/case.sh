#!/bin/sh
# The columns of a table are checked before training; a --pair-field that no record has is reported.
printf 'label\ttext\na\tking\nb\tdog\n' >train.tsv
printf 'mark,sentence\na,king\n' >dev.csv
try() { bert-train --task classify -m "$MODELS/bare" --steps 1 -o model "$@" >log; echo "exit $?"; }
try --text-field sentence train.tsv
try --label-field mark train.tsv
try --pair-field other train.tsv
try train.tsv --dev dev.csv
try --columns mark,text train.tsv
for task in regress multilabel; do try --task $task --label-field score train.tsv; done
[ -e model ] || echo 'nothing was made'
printf '{"text":"king","label":"a"}\n{"text":"dog","label":"b"}\n' >train.jsonl
try --pair-field other train.jsonl
