# A query may have another prompt than the index if the model names it, or --prompt says so; else a forgotten
# prompt would go unnoticed.
echo 'the old king' >texts.txt
try() {
  echo "-- $*"
  bert-search -m "$MODELS/$model" -k 1 --keep neighbors --precision 2 --index "$@"
}
embed() { bert-embed -m "$MODELS/$model" "$@" texts.txt; }
echo "a model without prompts:"
model=pretraining
embed >none.jsonl
embed --prompt 'it says: ' >some.jsonl
jq -c .embedding_model none.jsonl some.jsonl
try some.jsonl texts.txt
try some.jsonl --prompt '' texts.txt
try some.jsonl --prompt 'find: ' texts.txt
try some.jsonl --prompt 'it says: ' texts.txt
try none.jsonl --prompt 'find: ' texts.txt
echo "its vectors:"
embed --prompt 'find: ' >finds.jsonl
try some.jsonl finds.jsonl
try some.jsonl --prompt 'find: ' finds.jsonl
try some.jsonl --prompt 'found: ' finds.jsonl
try some.jsonl none.jsonl
try some.jsonl --prompt '' none.jsonl
bert-search --dedup 1 none.jsonl finds.jsonl | jq -c .embedding_model
echo "a model with prompts, one of them the default:"
model=sentence-new
embed --prompt 'it says: ' >some.jsonl
embed >query.jsonl
jq -c .embedding_model some.jsonl query.jsonl
try some.jsonl texts.txt
try some.jsonl query.jsonl
try query.jsonl some.jsonl
echo "token ids have no prompt:"
bert-tokenize -m "$MODELS/$model" texts.txt | bert-embed -m "$MODELS/$model" --prompt query | jq -c .embedding_model
