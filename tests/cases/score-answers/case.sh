#!/bin/sh
# Answers by the rules of SQuAD 1.1 and 2.0: as records, as one object, with thresholds.
score() { bert-score --precision 4 "$@"; echo "exit $?"; }
question() { printf '{"id":"%s","answers":[%s]}' "$@"; }
one="$(question a '{"text":"The red cat"}'),$(question b '{"text":"1990"},{"text":"in 1990"}')"
two="$(question c ''),$(question d '{"text":"dog"}')"
echo "{\"version\":\"1.1\",\"data\":[{\"paragraphs\":[{\"qas\":[$one]}]}]}" >v1.json
printf '{\n"version":"v2.0","data":[{"paragraphs":[{"qas":[%s]},{"qas":[%s]}]}]}' "$one" "$two" >v2.json
echo "1.1: an object on one line, on several, records"
echo '{"a": "red cat!", "b": "in 1990"}' >one.json
printf '{\n    "a": "red cat!",\n    "b": "in 1990"\n}\n' >lines.json
printf '{"id":"%s","prediction":"%s"}\n' b 1990 a 'cat' >records.jsonl
score --task answer --gold v1.json one.json
score --task answer --gold v1.json <lines.json
score --task answer --gold v1.json --input-format squad lines.json
score --task answer --gold v1.json records.jsonl
score --metric squad_v2 --gold v1.json records.jsonl
printf '{"prediction":"%s","answers":{"text":[%s]}}\n' 'cat' '"red cat","cat"' '' '' | score --task answer
echo "missing ones count as wrong, strangers do not count"
echo '{"a": "red cat!", "x": "", "y": ""}' | score --task answer --gold v1.json
echo '{"b": "1990"}' | score --task answer --gold v2.json
echo "2.0, with null scores in records or by id"
printf '{"id":"%s","prediction":"%s","null_score":%s}\n' a cat -3 b 1990 -1 c fish 0.5 d dog 2 >nulls.jsonl
score --task answer --gold v2.json nulls.jsonl
score --task answer --gold v2.json --no-answer-threshold 0 nulls.jsonl
echo '{"a": -3, "b": -1, "c": 0.5, "d": 2, "x": 0}' >odds.json
echo '{"a": "cat", "b": "1990", "c": "fish", "d": "dog"}' >four.json
score --task answer --gold v2.json --null-scores odds.json four.json
score --task answer --gold v2.json --metric f1,best_f1,best_f1_threshold --null-scores odds.json four.json
echo "refusals"
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
