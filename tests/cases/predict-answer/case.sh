#!/bin/sh
# The answer span from a context in windows; no answer with a threshold.
. "$CASE/../lib/questions.sh"
answer records.jsonl
echo '-- n best'
answer --n-best 3 --max-answer-length 2 records.jsonl | cut -c 1-230
echo '-- no answer'
answer --no-answer-threshold 0 records.jsonl
answer --no-answer-threshold -100 --n-best 1 records.jsonl
echo '-- with any stride, the last window ends at the end of the text'
head -n 2 records.jsonl | tail -n 1 >q2
for stride in 1 7 100; do answer --max-length 16 --stride $stride q2; done
echo '-- columns'
printf 'question\tcontext\nwho\tthe king\n' | answer --input-format tsv
