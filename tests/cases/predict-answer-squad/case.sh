#!/bin/sh
# --format squad writes one object of answers by id.
. "$CASE/../lib/questions.sh"
squad() { bert-predict -m "$MODELS/answer" --format squad "$@"; }
sed 's/"q3"/3/' records.jsonl | squad
sed 's/"id":"q[14]",//' records.jsonl | squad --on-error skip
sed 's/"id":"q3",//' records.jsonl | squad
squad </dev/null
echo text | bert-predict -m "$MODELS/classify" --format squad
