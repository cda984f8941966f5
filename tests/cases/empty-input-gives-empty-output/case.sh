bert-tokenize -m "$MODELS/pretraining" </dev/null
bert-embed -m "$MODELS/bare" </dev/null
bert-predict -m "$MODELS/classify" </dev/null
