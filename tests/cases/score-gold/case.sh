#!/bin/sh
# Gold labels in a separate FILE, joined by id.
try() { bert-score --task classify --metric accuracy "$@"; echo "exit $?"; }
printf '{"id":%s,"label":"%s"}\n' 1 a '"two"' b 3 a >gold.jsonl
printf 'id\tlabel\n1\ta\ntwo\tb\n3\ta\n' >gold.tsv
echo "in any order, ids by their text"
printf '{"id":%s,"prediction":"%s"}\n' 3 a '"1"' b '"two"' b >predictions.jsonl
try --gold gold.jsonl predictions.jsonl
try --gold gold.tsv predictions.jsonl
tr '\t' , <gold.tsv >gold
try --gold gold predictions.jsonl
printf 'key\tprediction\n3\ta\n1\tb\ntwo\tb\n' | try --gold gold.tsv --id-field key --input-format tsv
sed 's/id/key/; s/label/gold/' gold.tsv >named.tsv
printf 'key\tprediction\n3\ta\n1\tb\ntwo\tb\n' >named_predictions.tsv
try --gold named.tsv --id-field key --label-field gold named_predictions.tsv
echo "twice, unknown, missing"
cat predictions.jsonl predictions.jsonl | try --gold gold.jsonl
printf '{"id":%s,"prediction":"a"}\n' 1 4 | try --gold gold.jsonl
head -n 2 predictions.jsonl | try --gold gold.jsonl
try --gold gold.jsonl </dev/null
echo "left out"
(cat predictions.jsonl predictions.jsonl; echo '{"id":4,"prediction":"a"}'; echo '{') | try --gold gold.jsonl --on-error skip
head -n 2 predictions.jsonl | try --gold gold.jsonl --on-error skip
echo "errors in gold labels"
printf '{"id":%s,"label":"a"}\n' 1 2 1 >twice.jsonl
try --gold twice.jsonl predictions.jsonl
printf '{"id":1}\n' >empty.jsonl
try --gold empty.jsonl predictions.jsonl
printf '{"id":1,"label":[]}\n' >array.jsonl
try --gold array.jsonl predictions.jsonl
printf '{"label":"a"}\n' >nameless.jsonl
try --gold nameless.jsonl predictions.jsonl
try --gold missing.jsonl predictions.jsonl
printf '{"id":1,"label":"a"}\n{"id":1,\n' >broken.jsonl
try --gold broken.jsonl predictions.jsonl
printf '{"data":[]}' >squad.json
try --gold squad.json predictions.jsonl
