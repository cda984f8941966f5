# router DIR: a SparseEncoder whose queries have the weights of a table, in the form published for OpenSearch.
router() {
  cp -r "$MODELS/pretraining" "$1" && mkdir "$1/document_1_SpladePooling" "$1/query_0_SparseStaticEmbedding"
  of=sentence_transformers.sparse_encoder.models
  echo '[{"path":"","type":"sentence_transformers.models.Router"}]' >"$1/modules.json"
  echo '{"model_type":"SparseEncoder"}' >"$1/config_sentence_transformers.json"
  cat >"$1/router_config.json" <<END
{"types":{"query_0_SparseStaticEmbedding":"$of.SparseStaticEmbedding","":"$of.MLMTransformer","document_1_SpladePooling":"$of.SpladePooling"},
"structure":{"query":["query_0_SparseStaticEmbedding"],"document":["","document_1_SpladePooling"]},
"parameters":{"default_route":"document","allow_empty_key":true}}
END
  echo '{"pooling_strategy":"max","activation_function":"relu"}' >"$1/document_1_SpladePooling/config.json"
  cp "$1"/vocab.txt "$1"/tokenizer_config.json "$1/query_0_SparseStaticEmbedding"
  echo '{"the":0.25,"king":2.5,"queen":3,"river":1.5,"##s":1,"[SEP]":0.75,"castle":0}' >"$1/query_0_SparseStaticEmbedding/idf.json"
  echo '{"frozen":true,"path":"idf.json"}' >"$1/query_0_SparseStaticEmbedding/config.json"
}
