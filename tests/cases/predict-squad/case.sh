# An original SQuAD file gives one record per question, for any white space and order of keys.
squad() { bert-predict -m "$MODELS/answer" --precision 3 --input-format squad "$@"; }
cat >dev.json <<'END'
{"version": "v2.0", "data": [
  {"title": "Kings", "paragraphs": [
    {"context": "The old k\u00f6nig, \"a man\" [of] {Paris}.", "qas": [
      {"id": "a1", "question": "Who is old?", "answers": [{"text": "old", "answer_start": 4}, {"text": "The old", "answer_start": 0}], "is_impossible": false},
      {"id": "a2", "question": "Where?", "answers": [], "is_impossible": true, "plausible_answers": []}]},
    {"qas": [], "context": "not asked"}]},
  {"paragraphs": []},
  {"title": "Rivers", "paragraphs": [{"qas": [{"question": "What \\ is it?", "id": "b1"}], "context": "the river"}]}
], "more": {"]": [1, "}"]}, "n": 7}
END
squad dev.json
echo '-- stdin line by line; two files; a file of one line'
while IFS= read -r line; do printf '%s\n' "$line"; done <dev.json | squad --format squad
squad --drop context,question dev.json dev.json | wc -l
tr -d '\n' <dev.json | squad --format squad
echo '-- empty input'
squad </dev/null
printf '{}' | squad
printf '{"data":[]}' | squad --format squad
echo '-- refused'
bad() { printf '%s' "$1" | squad --drop context; echo "exit $?"; }
bad '[]'
bad '{"data":{}}'
bad '{"data":[{"paragraphs":[{"context":"a","qas":[{"id":"x","question":"b"}]}]}'
bad '{"data":[{"paragraphs":[{"context":"a","qas":[{"id":"x","question":"b"}]}]} {"paragraphs":[]}]}'
bad '{"data":[{"title":"a"}]}'
bad '{"data":[{"paragraphs":[{"context":1.5,"qas":[{"id":"x"}]}]}]}'
bad '{"data":[{"paragraphs":[{"context":"a","qas":[{"id":"x"}]}]}]}'
bad '{"data":[]} {}'
bad '{"data":[],}'
bad '{"version":tru}'
echo '{"data":[{"paragraphs":[{"context":"a","qas":[{"id":"x","question":"b"},{"id":"z"}]}]}]}' | squad --keep id
bad '{"data":[{"paragraphs":[{"context":"a","qas":[{"id":"x","question":"b"},{"id":"y","answers":[{}]}]}]}]}'
