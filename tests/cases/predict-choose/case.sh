# Any number of choices, with a question and without; each sequence is the text and question + choice.
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
echo '-- long'
cat >long.jsonl <<'END'
{"text":"the old king and the queen said it was a good year for the cat and the dog","choices":["the cat","it was a good year for the queen and a bad one for the king","a dog"]}
END
for overflow in truncate split error; do
  [ $overflow = split ] && length=27 || length=14
  echo "-- $overflow"
  choose --drop text,choices --max-length $length --overlap 2 --overflow $overflow long.jsonl
done
echo '-- the tokens of every choice are cut alike in a single pair'
for text in 'the cat' 'it was a good year for the queen and a bad one for the king' 'a dog'; do
  echo "{\"text\":\"the old king and the queen said it was a good year for the cat and the dog\",\"text_pair\":\"$text\"}"
done | bert-tokenize -m "$MODELS/choose" --max-length 14 --tokens --drop text,text_pair,input_ids,token_type_ids
echo '-- refused'
cat >bad.jsonl <<'END'
{"id":1,"text":"no choices"}
{"id":2,"text":"a text","choices":[]}
{"id":3,"text":"a text","choices":"one"}
{"id":4,"text":"a text","choices":["one",2]}
{"id":5,"text":"a text","choices":["one"],"question":7}
{"id":6,"choices":["one"]}
{"id":7,"input_ids":[2,3],"choices":["one"]}
{"id":8,"text":"the old one","choices":["the last"]}
END
choose --on-error skip --drop text bad.jsonl
echo "exit $?"
echo a text | choose
echo "exit $?"
