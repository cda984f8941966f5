#!/bin/sh
# Unsuitable window options, and records without words, are reported.
tag() { bert-predict -m "$MODELS/tag" --precision 3 "$@"; }
echo 'the old king and the queen said abcdefghijklmnopqrstuvwxyz it was a good year' >long
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
# A pair, and ids in a table, which are read from JSONL only.
echo '{"text":"the king","text_pair":"old"}' | bert-predict -m "$MODELS/tag"
printf 'text\tinput_ids\nthe king\t[2,20,3]\n' | bert-predict -m "$MODELS/tag" --input-format tsv
printf 'text\tinput_ids\nthe king\t[2,20,3]\n' | bert-embed -m "$MODELS/bare" --input-format tsv
printf 'text\tinput_ids\nthe king\t[2,20,3]\n' | bert-embed -m "$MODELS/bare" --input-format tsv --text-field text --keep text,text
echo text | bert-mask --vocab "$MODELS/bare/vocab.txt" --seed 99999999999999999999
echo "exit $?"
