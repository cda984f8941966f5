#!/bin/sh
# Each bad record is reported with its line; stop writes the records before it, skip continues and counts.
cat >bad.jsonl <<'END'
{"input_ids":[2,20,3]}
{"text":"a"}
{"input_ids":"2 20 3"}
{"input_ids":[2,20.5,3]}
{"input_ids":[2,100000,3]}
{"input_ids":[2,-1,3]}
{"input_ids":[2,3],"input_ids":[2,3]}
{"input_ids":[2,20,3],"document":1.5,"instance":0}
{"input_ids":[2,20,3],"document":1,"instance":-1}
{"input_ids":[2,20,3],"masked_lm_positions":[1],"masked_lm_ids":[21]}
{"input_ids":[2,20,3],"masked_lm_ids":null}
{"input_ids":[2,20,3]
{"input_ids":[2,21,3]}
END
bert-mask -m "$MODELS/bare" --on-error skip bad.jsonl
echo "exit $?"
bert-mask -m "$MODELS/bare" -o out bad.jsonl
echo "exit $?"
ls
echo 'the cat' | bert-mask -m "$MODELS/bare"
echo "exit $?"
echo '--- arrays of other lengths, unless they are dropped'
for field in token_type_ids tokens offsets word_ids; do
  for drop in $field none; do echo "{\"input_ids\":[2,20,3],\"$field\":[0,0]}" | bert-mask -q -m "$MODELS/bare" --drop $drop; done
done
echo '{"input_ids":[2,20,3],"token_type_ids":[0,0]}' | bert-tokenize -m "$MODELS/bare" --decode
echo '--- text'
echo 'the cat' | bert-nsp-pairs -m "$MODELS/bare"
