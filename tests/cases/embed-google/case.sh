# extract_features.py's JSON: its layer numbers, six decimals, a pair at the last " ||| ", lines counted from 0.
printf 'king ||| a ||| the queen\n\nold\n' | bert-embed -m "$MODELS/half" --format google --layers -1,0 |
  sed 's/\("values": \[[^,]*, [^,]*\)[^]]*/\1, .../g'
printf 'old\n' | bert-embed -m "$MODELS/half" --format google
