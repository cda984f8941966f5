# splade DIR STRATEGY ACTIVATION: a SparseEncoder of sentence-transformers, with weights that were not trained for it.
splade() {
  cp -r "$MODELS/pretraining" "$1" && mkdir "$1/1_SpladePooling"
  type=sentence_transformers.sparse_encoder
  echo "[{\"path\":\"\",\"type\":\"$type.MLMTransformer\"},{\"path\":\"1_SpladePooling\",\"type\":\"$type.SpladePooling\"}]" >"$1/modules.json"
  echo '{"model_type":"SparseEncoder"}' >"$1/config_sentence_transformers.json"
  echo "{\"pooling_strategy\":\"$2\",\"activation_function\":\"$3\"}" >"$1/1_SpladePooling/config.json"
}
