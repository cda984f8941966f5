# bert-mask and bert-nsp-pairs write tables, with arrays as JSON.
model=$MODELS/pretraining
echo 'A good day, said the king.' | bert-tokenize -m "$model" >ids.jsonl
bert-mask -m "$model" --epoch 1 --format csv ids.jsonl
bert-mask -m "$model" --epoch 1 --format tsv --keep masked_lm_ids,masked_lm_positions ids.jsonl
printf 'The king is old.\nA good day.\n' |
  bert-tokenize -m "$model" --sentences --input-format documents |
  bert-nsp-pairs -m "$model" --mode none -q --format csv
