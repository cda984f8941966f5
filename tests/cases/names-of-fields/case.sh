# A name of --keep, --drop, --with or --pair-field that no record has: an error if one table tells it at the start, else
# a warning at the end.
printf 'id,text,Note\n1,the king,x\n2,old,y\n' >in.csv
printf '%s\n' '{"id":1,"text":"the king"}' '{"id":2,"text":"old"}' >in.jsonl
printf 'the king\n' >in.txt
classify() { bert-predict -m "$MODELS/classify" --precision 1 "$@"; echo "exit $?"; }
echo '--- known at the start'
classify --keep ID,predicition in.csv
classify --format csv --keep id,predicition in.csv
classify --drop scroes in.csv
classify --drop txt in.txt
classify --keep nothing-like-it in.csv
classify --keep id,truncated in.csv
classify --keep id <in.csv
echo '--- warnings at the end'
classify --keep id,predicition in.jsonl
classify --drop txet,scores in.jsonl
classify --keep id,note,prediction in.csv in.jsonl
classify --keep id,no in.jsonl --quiet
classify --keep id,no </dev/null
bert-tokenize -m "$MODELS/bare" --drop input_idz in.jsonl
bert-tokenize -m "$MODELS/bare" --drop text,tokens in.jsonl
bert-tokenize -m "$MODELS/bare" --input-format documents --sentences in.txt |
  bert-nsp-pairs -m "$MODELS/bare" --mode none --max-length 8 --drop token_type_idz
echo '--- formats without fields'
for format in npy csv; do bert-embed -m "$MODELS/bare" --format $format --drop id -o x in.jsonl; done
for format in npy squad conll; do classify --format $format --drop id in.jsonl; done
bert-tokenize -m "$MODELS/bare" --format ids --drop id in.jsonl
echo '--- pairs'
printf '%s\n' '{"text":"the king","text_pair":"old"}' '{"text":"a"}' >pairs.jsonl
printf 'text,text_pair\na,b\n' >pairs.csv
bert-tokenize -m "$MODELS/bare" --pair-field txt_pair pairs.jsonl
bert-tokenize -m "$MODELS/bare" --pair-field txt_pair pairs.csv
bert-tokenize -m "$MODELS/bare" --pair-field text_pair pairs.jsonl
classify --pair-field txt_pair --keep prediction pairs.jsonl
bert-vocab --size 30 --pair-field txt_pair pairs.jsonl | wc -l
echo '--- neighbors'
bert-embed -m "$MODELS/bare" -o index.jsonl in.jsonl
bert-embed -m "$MODELS/bare" --format npy -o index.npy in.jsonl
near() { head -n 1 in.jsonl | bert-search -m "$MODELS/bare" -k 1 --precision 1 "$@"; echo "exit $?"; }
near --index index.jsonl --with txt
near --index index.jsonl --with text,nmae
near --index index.jsonl --id-field ID
near --index index.npy --records in.csv --with text,note
near --index index.npy --with text
near --index index.npy --id-field text
