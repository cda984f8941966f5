# --pooling none with windows: one record with one vector per token, for any windows.
model=$MODELS/sharded
embed() { bert-embed -m "$model" --pooling none --dim 1 --precision 2 "$@"; }
echo 'the old king and the queen said it was a good year for the cat and the dog' >text
bert-tokenize -m "$model" --word-ids text >ids
jq -c '.word_ids | length' ids
for windows in '8 0' '8 2' '8 5' '9 3' '48 0'; do
  set -- $windows
  embed --max-length $1 --overflow split --overlap $2 ids |
    jq -c '[(.input_ids, .word_ids, .tokens, .embeddings) | length], .window'
  embed --max-length $1 --overflow split --overlap $2 --format tsv ids | wc -l
done
echo '-- the tokens are those of the whole text'
embed --max-length 8 --overflow split --overlap 2 text | jq -c .tokens
echo '-- the same for a pair'
echo '{"text":"the king","text_pair":"and the queen said it was a good year for the cat"}' >pair
embed --max-length 10 --overflow split --overlap 2 pair | jq -c '.tokens, (.embeddings | length)'
bert-tokenize -m "$model" pair | jq -c '.input_ids | length'
