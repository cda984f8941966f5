# bert-tokenize and bert-embed cut a text of the same directory at the same length: that of sentence-transformers
# (max_seq_length, else model_max_length, at most the positions), not that of the truncation block in tokenizer.json.
. "$CASE/../lib/tokenizer_json.sh"
cp -R "$MODELS/sentence-old" model && chmod -R u+w model
awk 'BEGIN { for (i = 0; i < 6; ++i) printf "the old king took a long way home over river and book " }' >long.txt
lengths() {
  echo "-- $1"
  bert-tokenize -m model --drop text long.txt >ids.jsonl
  awk '{ print gsub(/,/, "") }' ids.jsonl
  bert-embed -q -m model --keep embedding ids.jsonl >from-ids
  bert-embed -m model --keep embedding long.txt | cmp from-ids - && echo same vector
  bert-convert --info model | grep -o '"max_length":[0-9]*'
}
lengths 'without a block the ids are not cut'
tokenizer_json model '{"direction":"Right","max_length":8,"strategy":"LongestFirst","stride":0}' >tokenizer.json
mv tokenizer.json model
lengths 'max_seq_length 32, block of 8'
sed -i 's/48/16/' model/tokenizer_config.json
lengths 'max_seq_length overrides model_max_length'
rm model/sentence_bert_config.json
lengths 'model_max_length'
echo '-- the tokenizer alone has its own limit'
bert-tokenize --vocab model/tokenizer.json --drop text long.txt | awk '{ print gsub(/,/, "") }'
echo '-- a padding block says nothing'
sed -i 's/"padding":null/"padding":{"strategy":"BatchLongest","direction":"Right","pad_id":0,"pad_type_id":0,"pad_token":"[PAD]"}/' model/tokenizer.json
echo king | bert-tokenize -m model
