# tokens is updated to match input_ids after masking; offsets and word_ids are unchanged, because they give
# positions.
model=$MODELS/bare
echo 'The old king said: a good day!' | bert-tokenize -m "$model" --tokens --offsets chars --word-ids >whole
cat whole
bert-mask -m "$model" --mask-rate 1 --random-rate 0 --mask-prob 0.4 whole
echo '-- fields that are dropped or absent'
bert-mask -m "$model" --drop tokens,offsets,word_ids,text whole
bert-tokenize -m "$model" --drop text whole | bert-mask -m "$model" --drop tokens,offsets,word_ids
echo '-- tokens that do not match the ids'
for tokens in '["a"]' '"a b c"'; do
  echo "{\"input_ids\":[2,20,3],\"tokens\":$tokens}" | bert-mask -m "$model"
done
echo '{"input_ids":[2,20,3],"tokens":["a"]}' | bert-mask -m "$model" --drop tokens
