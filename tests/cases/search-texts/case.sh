# Texts are embedded as by bert-embed, also together with records that have a vector.
model=$MODELS/sentence-new
printf 'old king\nnew queen\nking and queen\nthe quick fox\n' >texts
bert-embed -m "$model" texts >vectors.jsonl
bert-embed -m "$model" --format npy -o vectors.npy texts
bert-search -m "$model" --index vectors.npy -k 2 texts >by-text
bert-search --index vectors.jsonl -m nowhere -k 2 --drop embedding vectors.jsonl | cmp - by-text && echo "vectors and texts agree"
bert-search -m "$model" --index vectors.npy -k 2 -j 1 --batch-tokens 3 texts | cmp - by-text && echo "batches do not matter"
cut -d '"' -f 4 by-text
grep -o '"neighbors":.{"id":[0-9]*' by-text
{ head -1 texts | sed 's/.*/{"text":"&"}/'; sed -n 2p vectors.jsonl; } >mixed.jsonl
bert-search -m "$model" --index vectors.npy -k 1 --keep text,neighbors --precision 3 mixed.jsonl
bert-embed -q -m "$model" --max-length 3 --format npy -o short.npy texts
bert-search -m "$model" --index short.npy -k 1 --keep truncated --max-length 3 texts
bert-search -m "$model" --dedup 0.9999 texts texts
