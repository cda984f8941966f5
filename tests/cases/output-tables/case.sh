# --keep writes only these fields, in this order; --format tsv and csv write a table with a header line.
printf '%s\n' '{"id":1,"text":"the king","note":"a\tb, \"c\""}' '{"id":null,"text":"old","note":"x"}' >in.jsonl
tokenize() { bert-tokenize -m "$MODELS/pretraining" "$@"; }
echo '--- --keep'
tokenize --keep input_ids,id in.jsonl
tokenize --keep none in.jsonl
tokenize --keep id --drop text in.jsonl
echo "exit $?"
echo '--- tables'
tokenize --format csv in.jsonl
tokenize --format tsv --keep note,id in.jsonl
tokenize --format tsv --keep id,text </dev/null
echo '--- a field that the first record lacks'
printf '%s\n' '{"id":1,"text":"a"}' '{"id":2,"text":"b","more":3}' >more.jsonl
tokenize --format tsv more.jsonl
tokenize --format tsv -j 1 - more.jsonl </dev/null
echo "exit $?"
tokenize --format tsv --keep id,more more.jsonl
echo '--- bert-predict, bert-score, bert-embed'
bert-predict -m "$MODELS/classify" --format tsv --keep id,prediction in.jsonl
bert-predict -m "$MODELS/classify" in.jsonl | sed 's/"prediction"/"label":"neutral","prediction"/' |
  bert-score --task classify --format csv --metric accuracy
bert-predict -m "$MODELS/classify" --columns text,label --keep label,prediction --format csv <<'END' |
the king	neutral
old	neutral
END
  bert-score --task classify --metric accuracy
bert-embed -m "$MODELS/bare" --format csv --dim 3 --precision 1 in.jsonl | wc -l
bert-embed -m "$MODELS/bare" --format csv --keep id --dim 3 --precision 1 in.jsonl | sed 's/-*[0-9]*\.[0-9]*/N/g'
bert-embed -m "$MODELS/bare" --format npy --keep id -o x.npy in.jsonl
echo "exit $?"
echo '--- the numbers of a vector and of scores have a column each'
classify() { bert-predict -m "$MODELS/classify" --precision 2 "$@"; }
classify --format csv --drop note in.jsonl
classify --format tsv --keep scores,id in.jsonl
classify --format csv --drop note in.jsonl | classify --input-format csv --format csv
echo "exit $?"
printf '%s\n' '{"text":"a","choices":["b","c"]}' '{"text":"a","choices":["b","c","d"]}' |
  bert-predict -m "$MODELS/choose" --precision 2 --format csv --keep scores
echo '--- an only cell that is empty'
printf 'a\n\nb\n' | bert-tokenize -m "$MODELS/pretraining" --format csv --keep text | tee empty.csv
bert-tokenize -m "$MODELS/pretraining" --keep text empty.csv
echo '--- the suffix of the output does not choose the format'
for file in out.tsv out.csv out.npy out.f32 out.jsonl; do
  echo king | bert-tokenize -m "$MODELS/bare" -o $file
  echo king | bert-embed -m "$MODELS/bare" -o $file
done
echo king | bert-embed -m "$MODELS/bare" --format jsonl -o out.npy
echo king | bert-embed -q -m "$MODELS/bare" -o out.npy
