#!/bin/sh
# One tag per word, for given words or those of the text.
tag() { bert-predict -m "$MODELS/tag" --precision 3 "$@"; }
cat >records.jsonl <<'END'
{"id":1,"text":"The König of Paris, unreadable!"}
{"id":2,"words":["The","König","of","Paris",""," ","unreadable"]}
{"id":3,"words":["of","Paris"],"text":"words go first"}
{"id":4,"text":["of","Paris"]}
{"id":5,"body":"of Paris","words":["not","read"]}
{"id":6,"text":"日本 of 🦊 Paris"}
{"id":7,"text":""}
{"id":8,"words":[]}
END
grep -v body records.jsonl | tag
echo '-- another field'
grep body records.jsonl | tag --text-field body
