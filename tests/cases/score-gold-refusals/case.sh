#!/bin/sh
# Predictions that are repeated, unknown or missing, and errors in the gold labels.
. "$CASE/../lib/gold.sh"
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
