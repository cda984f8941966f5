#!/bin/sh
# Records are otherwise unchanged: input_ids is replaced in place and two fields are appended; unmaskable
# records are errors.
cat >records.jsonl <<'END'
{"id": 1.50,"input_ids": [2,92,204,3,92,205,3],"token_type_ids":[0,0,0,0,1,1,1],"x":"é\n"}
  {"text":"a","input_ids":[2,20,3] , "next_sentence_label":1,"document":4,"instance":0}

{"input_ids":[2,3]}
{"input_ids":[]}
{"document":"a name","input_ids":[2,1,4,20,0,3]}
END
bert-mask -m "$MODELS/bare" --mask-rate 1 --random-rate 0 records.jsonl
echo '--- --drop'
bert-mask -m "$MODELS/bare" --mask-rate 0 --random-rate 0 --mask-prob 1 --drop x,id --drop token_type_ids,text,masked_lm_ids records.jsonl
echo '--- --vocab'
head -n 1 records.jsonl | bert-mask --vocab "$MODELS/bare/vocab.txt" --seed 3 --max-predictions 1 --mask-prob 0.5 --mask-rate 1 --random-rate 0
