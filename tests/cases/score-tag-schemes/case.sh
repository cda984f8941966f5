#!/bin/sh
# Entities in IOBES and BILOU, schemes that are enforced, and tags without prefixes.
pair() { printf '{"tags":[%s],"prediction":[%s]}\n' "$@"; }
score() { bert-score --task tag --precision 4 "$@"; echo "exit $?"; }
echo "IOBES and BILOU are recognized"
pair '"B-PER","E-PER","O","S-LOC"' '"B-PER","E-PER","O","B-LOC"' | score
pair '"B-PER","L-PER","O","U-LOC"' '"B-PER","L-PER","U-LOC","U-LOC"' | score
printf 'Ada S-PER S-PER\nin O O\nLondon S-LOC B-LOC\n' | score --input-format conll --metric f1
echo "only valid entities"
pair '"I-PER","I-PER","B-LOC"' '"B-PER","I-PER","B-LOC"' >iob.jsonl
score --metric f1 iob.jsonl
score --metric f1 --scheme iob2 iob.jsonl
score --metric f1 --scheme iob1 iob.jsonl
score --metric f1 --scheme iobes iob.jsonl
score --metric f1 --scheme bilou iob.jsonl
pair '"S-PER"' '"O"' | score --scheme iob2
pair '"NOUN"' '"VERB"' | score --scheme iob2
score --scheme bio iob.jsonl
bert-score --task classify --scheme iob2 iob.jsonl
echo "parts of speech"
(pair '"I","O"' '"I","O"'; pair '"DET","NOUN","VERB","I"' '"DET","NOUN","NOUN","I"') >pos.jsonl
score pos.jsonl
score --metric types --format text pos.jsonl
score --metric f1 pos.jsonl
printf 'The DET DET\nsea NOUN VERB\n' | score --input-format conll --metric accuracy
echo "not both"
pair '"B-PER","LOC"' '"B-PER","O"' | score
(cat pos.jsonl; pair '"B-PER"' '"B-PER"') | score
(pair '"B-PER"' '"B-PER"'; cat pos.jsonl) | score --on-error skip --metric f1
