#!/bin/sh
# Gold labels in a separate FILE, joined by id: in any order, ids by their text.
. "$CASE/../lib/gold.sh"
printf 'id\tlabel\n1\ta\ntwo\tb\n3\ta\n' >gold.tsv
try --gold gold.jsonl predictions.jsonl
try --gold gold.tsv predictions.jsonl
tr '\t' , <gold.tsv >gold
try --gold gold predictions.jsonl
printf 'key\tprediction\n3\ta\n1\tb\ntwo\tb\n' | try --gold gold.tsv --id-field key --input-format tsv
sed 's/id/key/; s/label/gold/' gold.tsv >named.tsv
printf 'key\tprediction\n3\ta\n1\tb\ntwo\tb\n' >named_predictions.tsv
try --gold named.tsv --id-field key --label-field gold named_predictions.tsv
printf 'id;label\n1;a\ntwo;b\n3;a\n' >gold.csv
printf 'id,prediction\n3,a\n1,b\ntwo,b\n' >predictions.csv
try --gold gold.csv predictions.csv
try --gold gold.csv --delimiter ';' predictions.csv
