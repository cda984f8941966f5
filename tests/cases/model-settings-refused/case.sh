# Settings of a model that would change the result and are not supported are refused by name.
copy() { rm -rf model && cp -R "$MODELS/$1" model && chmod -R u+w model; }
with() { sed -i "1s/.*/{$2,/" "model/$1"; }
embed() { echo 'The old king' | bert-embed -m model --dim 2 --precision 3 --drop text; echo "exit $?"; }
for setting in '"position_embedding_type":"relative_key","x":0' '"add_cross_attention":true' '"pruned_heads":{"0":[1]}' \
  '"quantization_config":{"bits":4}'; do
  copy bare
  sed -i '/position_embedding_type/d' model/config.json
  with config.json "$setting"
  embed
done
for setting in '"tokenizer_args":{"model_max_length":7}' '"processing_kwargs":{"text":{"max_length":9}}' \
  '"query_length":9' '"modality_config":{"text":{"method":"forward","method_output_name":"pooler_output"}}' \
  '"transformer_task":"fill-mask"'; do
  copy sentence-old
  with sentence_bert_config.json "$setting"
  embed
done
copy bare
with tokenizer_config.json '"split_special_tokens":true'
embed
copy bare
echo '{}' >model/adapter_config.json
embed
copy sentence-new
sed -i '/3_Normalize/,$s/normalize.Normalize/layer_norm.LayerNorm/' model/modules.json
embed
copy sentence-old
sed -i 's/models.Pooling/models.WeightedLayerPooling/' model/modules.json
embed
copy classify
sed -i 's/"model_type": "bert"/"model_type": "mpnet"/' model/config.json
embed
echo '-- settings that change nothing'
copy sentence-old
with sentence_bert_config.json '"unpad_inputs":null,"tokenizer_args":{},"query_length":null,"modality_config":{"text":{"method":"forward","method_output_name":"last_hidden_state"}}'
with tokenizer_config.json '"padding_side":"left","max_length":5,"never_split":["king"],"pad_to_multiple_of":8'
with config.json '"use_cache":false,"chunk_size_feed_forward":4,"output_attentions":true'
embed
copy sentence-old
embed
echo '-- lower case, as sentence-transformers and the tokenizer say'
with tokenizer_config.json '"do_lower_case":false'
sed -i '2,$s/"do_lower_case": true,//' model/tokenizer_config.json
embed
sed -i 's/"do_lower_case": false/"do_lower_case": true/' model/sentence_bert_config.json
embed
echo 'The old king' | bert-tokenize -m model
echo 'The old king' | bert-tokenize -m model --cased
