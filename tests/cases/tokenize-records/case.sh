#!/bin/sh
# Records are otherwise unchanged: unusual fields, numbers, escapes and spaces are kept byte for byte, fields
# of the same name are replaced in place, new fields are appended.
cat >records.jsonl <<'END'
{"id": 1.50,"text":"the \u0063at\n","x":{"text":[1, 2]},"é":null}
  {"input_ids":"old","text":"a", "token_type_ids" : 7}
{"text":"the cat","text_pair":"the dog","input_ids":[1]}
{"text":"a","text_pair":""}

{"text":""}
END
bert-tokenize -m "$MODELS/bare" records.jsonl
echo '--- --drop'
bert-tokenize -m "$MODELS/bare" --drop text,text_pair --drop x,token_type_ids records.jsonl
echo '--- other fields'
printf '{"a":"the cat","b":"the dog","text":3}\n' | bert-tokenize -m "$MODELS/bare" --text-field a --pair-field b
