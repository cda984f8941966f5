#!/bin/sh
# Any number of choices, with and without a question; each sequence is the text, and question + choice.
choose() { bert-predict -m "$MODELS/choose" --precision 3 "$@"; }
cat >records.jsonl <<'END'
{"id":1,"text":"the man took the book","choices":["and read it","home","the king could not find it"]}
{"id":2,"text":"the man took the book","question":"he","choices":["and read it","home"]}
{"id":3,"text":"the man took the book","choices":["he and read it","he home"]}
{"id":4,"text":"the man took the book","question":"","choices":["home"]}
{"id":5,"choices":["",""],"text":"","question":""}
END
choose --drop text,question,choices records.jsonl
echo '-- another field'
echo '{"story":"the man took the book","choices":["and read it","home"]}' | choose --text-field story --drop story,choices
