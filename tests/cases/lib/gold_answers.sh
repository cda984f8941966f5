# Makes v1.json and v2.json, gold answers as in SQuAD 1.1 and 2.0, predictions for them, and a function score.
score() { bert-score --precision 4 "$@"; }
question() { printf '{"id":"%s","answers":[%s]}' "$@"; }
one="$(question a '{"text":"The red cat"}'),$(question b '{"text":"1990"},{"text":"in 1990"}')"
two="$(question c ''),$(question d '{"text":"dog"}')"
echo "{\"version\":\"1.1\",\"data\":[{\"paragraphs\":[{\"qas\":[$one]}]}]}" >v1.json
printf '{\n"version":"v2.0","data":[{"paragraphs":[{"qas":[%s]},{"qas":[%s]}]}]}' "$one" "$two" >v2.json
echo '{"a": "red cat!", "b": "in 1990"}' >one.json
printf '{"id":"%s","prediction":"%s"}\n' b 1990 a 'cat' >records.jsonl
echo '{"a": "cat", "b": "1990", "c": "fish", "d": "dog"}' >four.json
