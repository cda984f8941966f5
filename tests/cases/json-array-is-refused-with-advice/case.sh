printf '[\n {"text":"a"}]\n' | bert-tokenize -m "$MODELS/pretraining"
