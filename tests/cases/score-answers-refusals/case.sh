#!/bin/sh
# Predictions, null scores and gold files that cannot be used are reported.
. "$CASE/../lib/gold_answers.sh"
echo '{"a": "x", "b": "y", "a": "z"}' | score --task answer --gold v1.json
cat one.json one.json | score --task answer --gold v1.json
echo '{"a": "x", "b": 7}' | score --task answer --gold v1.json
echo '{"id": "a", "answer": "x"}' | score --task answer --gold v1.json
echo '{"a": 1}' >few.json
score --task answer --gold v2.json --null-scores few.json four.json
echo '{"a": 1, "b": "2"}' >texts.json
score --task answer --gold v2.json --null-scores texts.json four.json
score --task answer --gold v2.json --null-scores records.jsonl four.json
echo '{"data":[{"paragraphs":[{"qas":[{"id":"a"}]}]}]}' >unanswered.json
score --task answer --gold unanswered.json one.json
echo '{"data":[{"paragraphs":[{"qas":[{"id":"a","answers":[]},{"id":"a","answers":[]}]}]}]}' >double.json
score --task answer --gold double.json one.json
echo '{"version":"1.1"}' >dataless.json
score --task answer --gold dataless.json one.json
