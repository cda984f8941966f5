# -v prints one line about the run.
cp -r "$MODELS/sentence-new" prompted
said() { echo king | bert-embed -v -j 2 "$@" 2>&1 >/dev/null | sed "s|$MODELS|MODELS|; s/(.*), \([0-9]\)/(CODE), \1/; s/oneDNN [0-9.]*, .*/ONEDNN/"; }
said -m prompted
said -m prompted --pooling none --prompt '' --max-length 12
said -m "$MODELS/sentence-modes"
said -m "$MODELS/bare" --pooling pooler --dtype int8
