# fill: no [MASK], a top-k larger than the vocabulary, ids, and [MASK] recognized only in upper case.
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
# Only texts with [MASK] are checked against the maximum length.
awk 'BEGIN { for (i = 0; i < 60; i++) printf "king "; print "" }' >unmasked
fill --drop text unmasked
bert-tokenize -m "$MODELS/masked-lm" --drop text unmasked | fill --drop input_ids
fill --drop text --on-error skip --max-length 4 --top-k 1 <<'END'
the old king
[MASK]
the old [MASK]
END
