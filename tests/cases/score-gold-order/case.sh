#!/bin/sh
# Without ids, gold labels and predictions are joined by their order, if they are as many.
. "$CASE/../lib/gold.sh"
printf '%s\n' label a b a >gold.tsv
printf '{"label":"%s"}\n' a b a >plain.jsonl
printf '{"prediction":"%s"}\n' a a a >guesses.jsonl
try --gold gold.tsv guesses.jsonl
try --gold plain.jsonl -q guesses.jsonl
printf 'prediction\na\na\na\n' | try --gold gold.tsv --input-format tsv
echo "other counts"
head -n 2 guesses.jsonl | try --gold gold.tsv
cat guesses.jsonl guesses.jsonl | try --gold gold.tsv
echo "a bad record keeps its place"
(head -n 1 guesses.jsonl; echo '{'; echo '{"prediction":"a"}') | try --gold gold.tsv --on-error skip
echo "ids on one side"
try --gold gold.tsv predictions.jsonl
try --gold gold.jsonl guesses.jsonl
try --gold gold.tsv --id-field id guesses.jsonl
(cat plain.jsonl; head -n 1 gold.jsonl) >mixed.jsonl
try --gold mixed.jsonl guesses.jsonl
(head -n 1 gold.jsonl; cat plain.jsonl) >mixed.jsonl
try --gold mixed.jsonl guesses.jsonl
echo "answers"
printf '{"answers":{"text":["the cat"]}}\n{"answers":{"text":["rain"]}}\n' >answers.jsonl
printf '{"prediction":"%s"}\n' "A cat" snow | bert-score -q --task answer --gold answers.jsonl
echo '{"q1":"cat"}' | bert-score -q --task answer --gold answers.jsonl
