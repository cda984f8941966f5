# One tag per word; given words, or those of the text; long texts in windows.
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
echo '-- each word has one tag, whatever the windows, even if it is longer than a window'
echo 'the old king and the queen said abcdefghijklmnopqrstuvwxyz it was a good year' >long
for options in '' '--max-length 6 --overlap 2' '--max-length 3 --overlap 0' '--max-length 12'; do
  for aggregate in first mean max; do
    tag --aggregate $aggregate $options long | grep -o '"words":\[.*\],"ent'
  done
done | sort | uniq -c
echo '-- in input_ids each token is a word; windows; no special tokens; --text-field reads the text'
ids() { bert-tokenize -m "$MODELS/tag" "$@"; }
echo 'The König of Paris, unreadable!' | ids --drop text | tee ids.jsonl | tag --drop input_ids
tag --drop input_ids,entities --max-length 6 --overlap 2 ids.jsonl
echo 'of Paris' | ids --no-special-tokens --drop text | tag
echo 'of Paris' | ids | tag --text-field text --drop text,input_ids
echo '{"input_ids":[2,3],"words":["not","read"]}' | tag
echo '-- refused'
tag --overflow truncate long
tag --overflow error --max-length 9 long
tag --max-length 6 --overlap 4 long
cat >bad.jsonl <<'END'
{"id":1}
{"id":2,"words":"a b"}
{"id":3,"words":["a",1]}
{"id":4,"text":7}
{"id":5,"input_ids":[2,101,3,102,3],"token_type_ids":[0,0,0,1,1]}
{"id":6,"input_ids":[2,-1,3]}
{"id":7,"input_ids":[]}
{"id":8,"text":"good"}
END
tag --on-error skip bad.jsonl
