#!/bin/sh
# Impossible requests are reported, without any output.
pairs() { echo "bert-nsp-pairs $*" >&2; bert-nsp-pairs -m "$MODELS/pretraining" "$@"; echo "exit $?"; }
echo '{"sentences":[[20,21],[22]]}' >one.jsonl
pairs one.jsonl -o out.jsonl
ls out.jsonl 2>/dev/null
pairs --mode sop one.jsonl
{ cat one.jsonl; echo '{"sentences":[]}'; } | pairs
pairs --first-record 128 one.jsonl
{ cat one.jsonl; echo '{"sentences":[]}'; cat one.jsonl; } | pairs --pool 2 --first-record 4
{ cat one.jsonl; echo '{"text":"bad"}'; cat one.jsonl; } | pairs
pairs --first-record 3 one.jsonl
pairs --first-record 3 --mode none one.jsonl
pairs --max-length 4 one.jsonl
pairs --pool 1 one.jsonl
pairs --mode next one.jsonl
pairs --short-seq-prob 2 one.jsonl
for bad in '{"text":"a"}' '{"sentences":"a"}' '{"sentences":[1]}' '{"sentences":[["a"]]}' '{"sentences":[[-1]]}' \
  '{"sentences":[[99999]]}' '{"sentences":[[1.5]]}' '{"sentences":[],"sentences":[]}'; do
  echo "$bad" >bad.jsonl
  cat one.jsonl bad.jsonl one.jsonl | pairs --on-error skip
  pairs bad.jsonl
done
