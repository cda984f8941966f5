#!/bin/sh
# -V, suggestions for misspelled options, --out as a synonym of -o, and no options that do nothing.
for tool in tokenize mask nsp-pairs vocab embed predict score train convert; do
  bert-$tool -V >short && bert-$tool --version | cmp - short && head -n 1 short | sed 's/[0-9][0-9.]*/N/'
done
bert-predict --treshold 0.5 </dev/null
bert-embed --poling mean </dev/null
bert-train --batchsize 3 </dev/null
bert-tokenize --zzz </dev/null
bert-mask --text-field x </dev/null
bert-nsp-pairs --pair-field x </dev/null
bert-score --drop x </dev/null
bert-vocab --line-buffered </dev/null
bert-convert "$MODELS/bare" --out one
bert-convert "$MODELS/bare" -o two
bert-convert "$MODELS/bare" --output three
for file in config.json vocab.txt model.safetensors; do cmp one/$file two/$file && cmp two/$file three/$file; done
