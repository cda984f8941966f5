# -v prints one line about the run.
said() { echo king | bert-predict -v -j 1 "$@" 2>&1 >/dev/null | sed "s|$MODELS|MODELS|; s/(.*), \([0-9]\)/(CODE), \1/; s/oneDNN [0-9.]*, .*/ONEDNN/"; }
said -m "$MODELS/classify"
said -m "$MODELS/pretraining" --task perplexity --max-length 12
