# input_ids of a record are used unless a text field is requested; ids that the model cannot read are rejected
# record by record.
embed() { bert-embed -m "$MODELS/sharded" --dim 2 --precision 3 --on-error skip "$@"; }
cat >ids.jsonl <<'END'
{"input_ids":[2,101,3]}
{"input_ids":[2,101,3,102,3],"token_type_ids":[0,0,0,1,1],"text":"is not read"}
{"input_ids":[]}
{"input_ids":[2,99999,3]}
{"input_ids":[2,-1,3]}
{"input_ids":[2,101,3],"token_type_ids":[0,7,0]}
{"input_ids":[2,101,3],"token_type_ids":[0,0]}
{"input_ids":"2 101 3"}
{"input_ids":[2,1.5,3]}
{"text":"the old king"}
END
embed ids.jsonl
echo '-- --text-field text'
embed --text-field text ids.jsonl
echo '-- from bert-tokenize'
echo 'the old king' | bert-tokenize -m "$MODELS/sharded" | embed
