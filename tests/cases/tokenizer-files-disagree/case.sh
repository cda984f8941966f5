# Where tokenizer_config.json and tokenizer.json disagree, the first decides, as in transformers; a class that is not
# BERT's leaves the decision to tokenizer.json. Special tokens may be in special_tokens_map.json alone.
. "$CASE/../lib/tokenizer_json.sh"
cp -R "$MODELS/bare" model && chmod -R u+w model
ids() { echo 'The OLD king' | bert-tokenize -m model --drop text; }
tokenizer_json model null false >tokenizer.json
mv tokenizer.json model
echo '{"do_lower_case":true,"tokenizer_class":"BertTokenizer"}' >model/tokenizer_config.json
ids
echo '{"do_lower_case":false}' >model/tokenizer_config.json
ids
echo '{"do_lower_case":true,"tokenizer_class":"PreTrainedTokenizerFast"}' >model/tokenizer_config.json
ids
echo '{"model_max_length":48}' >model/tokenizer_config.json
ids
echo '-- pairs without token types'
pair() { echo '{"text":"king","text_pair":"queen"}' | bert-tokenize -m model --keep token_type_ids; }
pair
echo '{"model_input_names":["input_ids","attention_mask"]}' >model/tokenizer_config.json
pair
bert-convert model --out converted && grep -A 3 model_input_names converted/tokenizer_config.json
echo '-- more special tokens'
rm model/tokenizer.json
echo 'a kingqueen b' | bert-tokenize -m model --format tokens
echo '{"additional_special_tokens":["king"]}' >model/special_tokens_map.json
echo 'a kingqueen b' | bert-tokenize -m model --format tokens
echo '{"additional_special_tokens":["<nowhere>"]}' >model/special_tokens_map.json
ids
