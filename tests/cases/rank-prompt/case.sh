# A cross-encoder's default prompt is inserted before the first text, as in sentence-transformers.
cp -R "$MODELS/rank" model && chmod -R u+w model
echo '[{"idx":0,"name":"0","path":"","type":"sentence_transformers.base.modules.transformer.Transformer"}]' >model/modules.json
echo '{"transformer_task":"sequence-classification","module_output_name":"scores"}' >model/sentence_bert_config.json
settings() { echo '{"model_type":"CrossEncoder","prompts":{"query":"find "},"default_prompt_name":'"$1}" >model/config_sentence_transformers.json; }
rank() { echo "{\"text\":\"$1old king\",\"text_pair\":\"the king is old\"}" | bert-predict -m model --task rank --keep prediction --precision 5; }
settings null
rank 'find '
rank ''
settings '"query"'
rank ''
echo '-- training does not keep it, and says so'
printf '{"text":"old king","text_pair":"the king is old","label":1}\n{"text":"old king","text_pair":"a book","label":0}\n' >train.jsonl
bert-train --task regress -m model --steps 1 -o trained train.jsonl >log
