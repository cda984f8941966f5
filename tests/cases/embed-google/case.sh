# extract_features.py's JSON: its layer numbers, six decimals, a pair split at the last " ||| ", lines counted
# from 0. Three decimals are compared, because the last ones differ between instruction sets.
rounded() {
  awk '{ while (match($0, /-?[0-9]+\.[0-9]+/)) {
           printf "%s%.3f", substr($0, 1, RSTART - 1), substr($0, RSTART, RLENGTH)
           $0 = substr($0, RSTART + RLENGTH) }
         print }'
}
printf 'king ||| a ||| the queen\n\nold\n' | bert-embed -m "$MODELS/half" --format google --layers -1,0 >google.json
rounded <google.json | sed 's/\("values": \[[^,]*, [^,]*\)[^]]*/\1, .../g'
echo "most decimals: $(grep -oE '\.[0-9]+' google.json | awk 'length > most { most = length } END { print most - 1 }')"
printf 'old\n' | bert-embed -m "$MODELS/half" --format google
