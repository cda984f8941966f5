#!/bin/sh
# Answers by the rules of SQuAD: an object on one line, on several, and records. Missing predictions count as
# wrong, predictions without a gold answer are ignored.
. "$CASE/../lib/gold_answers.sh"
printf '{\n    "a": "red cat!",\n    "b": "in 1990"\n}\n' >lines.json
score --task answer --gold v1.json one.json
score --task answer --gold v1.json <lines.json
score --task answer --gold v1.json --input-format squad lines.json
score --task answer --gold v1.json records.jsonl
score --metric squad_v2 --gold v1.json records.jsonl
printf '{"prediction":"%s","answers":{"text":[%s]}}\n' 'cat' '"red cat","cat"' '' '' | score --task answer
echo '{"a": "red cat!", "x": "", "y": ""}' | score --task answer --gold v1.json
echo '{"b": "1990"}' | score --task answer --gold v2.json
