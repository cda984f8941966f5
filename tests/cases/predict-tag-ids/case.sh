#!/bin/sh
# In input_ids each token is a word; --text-field reads the text instead.
tag() { bert-predict -m "$MODELS/tag" --precision 3 "$@"; }
ids() { bert-tokenize -m "$MODELS/tag" "$@"; }
echo 'The König of Paris, unreadable!' | ids --drop text | tee ids.jsonl | tag --drop input_ids
tag --drop input_ids,entities --max-length 6 --overlap 2 ids.jsonl
echo 'of Paris' | ids --no-special-tokens --drop text | tag
echo 'of Paris' | ids | tag --text-field text --drop text,input_ids
echo '{"input_ids":[2,3],"words":["not","read"]}' | tag
