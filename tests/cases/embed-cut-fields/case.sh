# Fields that describe the tokens are truncated with them, also in the middle of a pair; otherwise the record
# is an error.
model=$MODELS/sharded
embed() { bert-embed -q -m "$model" --max-length 8 --dim 1 --precision 1 --drop text,text_pair "$@"; }
echo '{"text":"The old king and the queen said it.","text_pair":"A good year for the cat!"}' >pair
bert-tokenize -m "$model" --tokens --offsets chars --word-ids pair >whole
embed --drop embedding whole
echo '-- the remaining ids give the same vector as ids that were never truncated'
embed --drop input_ids,token_type_ids,tokens,offsets,word_ids,truncated whole >vector
embed --drop embedding,truncated,tokens,offsets,word_ids whole | embed --drop input_ids,token_type_ids | cmp - vector && echo same
echo '-- there is a row for each element of word_ids; the next record is not affected'
{ cat whole; echo '{"text":"a cat"}' | bert-tokenize -m "$model" --word-ids; } >both
embed --pooling none both | jq -c '[(.input_ids, .word_ids, .embeddings, .tokens // []) | length]'
bert-embed -q -m "$model" --max-length 8 --dim 1 --pooling none --format tsv both | wc -l
embed --pooling none --drop embeddings,offsets both
echo '-- masked_lm_positions are adjusted'
bert-mask -m "$model" --mask-prob 0.5 --mask-rate 1 --random-rate 0 whole >masked
jq -c '[.masked_lm_positions, .masked_lm_ids]' masked
embed --drop embedding masked | jq -c '[.input_ids, .masked_lm_positions, .masked_lm_ids]'
echo '-- short records, windows and records read as text keep all values'
embed --max-length 48 --drop embedding whole | jq -c '.word_ids | length'
embed --max-length 16 --overflow split --overlap 1 --drop embedding whole | jq -c '.word_ids | length'
embed --text-field text --drop embedding whole | jq -c '.word_ids | length'
echo '-- refused'
ids='"input_ids":[2,101,101,101,101,101,101,101,3]'
echo "{$ids,\"tokens\":[\"a\"]}" | embed
echo "{$ids,\"tokens\":[\"a\"]}" | embed --drop tokens,input_ids,embedding
echo "{$ids,\"offsets\":\"none\"}" | embed
echo "{$ids,\"masked_lm_ids\":[5]}" | embed
