#!/bin/sh
# --format squad writes one object of answers by id.
. "$CASE/../lib/questions.sh"
sed 's/"q3"/3/' records.jsonl | answer --format squad
sed 's/"id":"q[14]",//' records.jsonl | answer --format squad --on-error skip
sed 's/"id":"q3",//' records.jsonl | answer --format squad
answer --format squad </dev/null
echo text | bert-predict -m "$MODELS/classify" --format squad
