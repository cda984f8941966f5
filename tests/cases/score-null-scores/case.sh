#!/bin/sh
# SQuAD 2.0 with null scores in the records or by id, and thresholds.
. "$CASE/../lib/gold_answers.sh"
printf '{"id":"%s","prediction":"%s","null_score":%s}\n' a cat -3 b 1990 -1 c fish 0.5 d dog 2 >nulls.jsonl
score --task answer --gold v2.json nulls.jsonl
score --task answer --gold v2.json --no-answer-threshold 0 nulls.jsonl
echo '{"a": -3, "b": -1, "c": 0.5, "d": 2, "x": 0}' >odds.json
score --task answer --gold v2.json --null-scores odds.json four.json
score --task answer --gold v2.json --metric f1,best_f1,best_f1_threshold --null-scores odds.json four.json
