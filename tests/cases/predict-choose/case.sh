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
echo '-- long texts'
cat >long.jsonl <<'END'
{"text":"the old king and the queen said it was a good year for the cat and the dog","choices":["the cat","it was a good year for the queen and a bad one for the king","a dog"]}
END
for overflow in truncate split error; do
  [ $overflow = split ] && length=27 || length=14
  echo "-- $overflow"
  choose --drop text,choices --max-length $length --overlap 2 --overflow $overflow long.jsonl
done
echo '-- each choice is truncated like a single pair'
for text in 'the cat' 'it was a good year for the queen and a bad one for the king' 'a dog'; do
  echo "{\"text\":\"the old king and the queen said it was a good year for the cat and the dog\",\"text_pair\":\"$text\"}"
done | bert-tokenize -m "$MODELS/choose" --max-length 14 --tokens --drop text,text_pair,input_ids,token_type_ids
echo '-- the input_ids of choices equal those of their texts and are truncated like them'
cat >texts.jsonl <<'END'
{"text":"the man took the book","text_pair":"and read it"}
{"text":"the man took the book","text_pair":"home"}
END
bert-tokenize -m "$MODELS/choose" texts.jsonl >tokens
all() { sed "s/.*\"$1\":\(\[[^]]*\]\).*/\1/" tokens | paste -sd, -; }
fields="\"input_ids\":[$(all input_ids)],\"token_type_ids\":[$(all token_type_ids)]"
echo "{$fields}" | tee ids.jsonl
choose --drop input_ids,token_type_ids ids.jsonl
choose --drop input_ids,token_type_ids --max-length 8 ids.jsonl
echo '{"text":"the man took the book","choices":["and read it","home"]}' >own.jsonl
choose --drop text,choices own.jsonl
choose --drop text,choices --max-length 8 own.jsonl
echo "{$fields,\"text\":\"a text\",\"choices\":[\"one\",\"two\",\"three\"]}" |
  choose --text-field text --drop input_ids,token_type_ids
echo '-- refused'
cat >bad.jsonl <<'END'
{"id":1,"text":"no choices"}
{"id":2,"text":"a text","choices":[]}
{"id":3,"text":"a text","choices":"one"}
{"id":4,"text":"a text","choices":["one",2]}
{"id":5,"text":"a text","choices":["one"],"question":7}
{"id":6,"choices":["one"]}
{"id":7,"input_ids":[2,3],"choices":["one"]}
{"id":8,"input_ids":[]}
{"id":9,"input_ids":[[2,3],[2,-1,3]]}
{"id":10,"input_ids":[[2,3],[2,4,3]],"token_type_ids":[[0,0]]}
{"id":11,"input_ids":[[2,3],[2,4,3]],"token_type_ids":[[0,0],[0,0]]}
{"id":12,"input_ids":[[2,3],[]]}
{"id":13,"input_ids":[[2,3],["a"]]}
{"id":14,"input_ids":[[2,3]],"token_type_ids":[0,0]}
{"id":15,"input_ids":[[2,3]],"token_type_ids":0}
{"id":16,"text":"the old one","choices":["the last"]}
END
choose --on-error skip --drop text bad.jsonl
echo "exit $?"
echo a text | choose
echo "exit $?"
