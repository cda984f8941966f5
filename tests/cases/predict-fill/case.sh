# fill: no [MASK], more candidates than asked for in the vocabulary, ids, a literal in capitals alone.
fill() { bert-predict -m "$MODELS/masked-lm" --precision 3 "$@"; }
printf 'the old king\n[mask]\n\n' | fill
echo '[MASK]' | fill --top-k 100000 | awk -F '"token"' '{ print NF - 1 " candidates" }'
echo '{"input_ids":[2,4,3]}' | fill --top-k 1
echo '[MASK] king' | bert-tokenize -m "$MODELS/masked-lm" --drop text | fill --top-k 1
awk 'BEGIN { for (i = 0; i < 60; i++) printf "king "; print "[MASK]" }' >long
fill --top-k 1 --drop text long
echo "exit $?"
fill --top-k 1 --drop text --overflow truncate long
fill --top-k 1 --overflow split long
echo "exit $?"
