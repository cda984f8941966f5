# The names of columns that the tools write for numbers can be kept and dropped, also in JSONL.
printf '%s\n' '{"id":1,"text":"the king","meta":{"a.b":1,"c":[2, 3]}}' '{"id":2,"text":"old"}' >in.jsonl
classify() { bert-predict -m "$MODELS/classify" --precision 1 "$@"; }
classify in.jsonl
echo '--- keep'
classify --keep id,scores.neutral in.jsonl
classify --format csv --keep id,scores.neutral in.jsonl
classify --keep id,meta.a.b,meta.c in.jsonl
classify --format tsv --keep scores.neutral,scores in.jsonl
classify --keep scores.netural in.jsonl
echo '--- drop'
classify --drop scores.neutral,text in.jsonl
classify --format csv --drop scores.neutral,meta in.jsonl
classify --drop meta.a.b,text,scores in.jsonl
classify --drop scores.netural,text in.jsonl | head -n 1
echo '--- numbers of a vector'
embed() { bert-embed -m "$MODELS/bare" --dim 3 --precision 0 "$@"; }
embed --format csv --keep id in.jsonl | sed 's/-*[0-9]*\.[0-9]*/N/g' | head -n 1
embed --format csv --keep id,embedding_1 in.jsonl | sed 's/,[-0-9.]*$/,N/'
embed --keep id,embedding_1 in.jsonl | sed 's/:[-0-9.]*}$/:N}/'
embed --drop embedding_1,text in.jsonl >dropped
bert-embed -m "$MODELS/bare" --dim 3 in.jsonl | bert-search --dedup 1 --drop embedding_1 --format csv | head -n 1
