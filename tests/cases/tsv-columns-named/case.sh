# The error for a missing column lists the columns of the table: at most eight, each truncated after 300
# bytes.
printf 'id\tsent"ence\n1\tking\n' >table.tsv
seq 9 | paste -s -d '\t' >wide.tsv
seq 9 | paste -s -d '\t' >>wide.tsv
bert-tokenize -m "$MODELS/bare" table.tsv
echo "exit $?"
bert-tokenize -m "$MODELS/bare" --columns a,b table.tsv
bert-tokenize -m "$MODELS/bare" wide.tsv
{ seq 200 | paste -s -d _; echo king; } | bert-tokenize -m "$MODELS/bare" --input-format tsv
echo '{"sentence":"king"}' | bert-tokenize -m "$MODELS/bare"
# The same for a second text requested under another name than the default.
printf 'text\tsecond\nking\tqueen\n' >pairs.tsv
bert-tokenize -m "$MODELS/bare" --pair-field secnd pairs.tsv
echo "exit $?"
bert-embed -m "$MODELS/masked-lm" --format google --layers=-1 --pair-field secnd pairs.tsv
bert-vocab --size 100 --pair-field secnd pairs.tsv
bert-tokenize -m "$MODELS/bare" --pair-field second pairs.tsv
bert-tokenize -m "$MODELS/bare" pairs.tsv
# The same without records.
printf 'id,txt\n' >header.csv
printf 'id,text\n' >good.csv
for tool in tokenize embed; do
  bert-$tool -m "$MODELS/bare" header.csv
  bert-$tool -m "$MODELS/bare" --text-field t good.csv
  bert-$tool -m "$MODELS/bare" --pair-field t good.csv
  bert-$tool -m "$MODELS/bare" good.csv
  echo "exit $?"
done
bert-predict -m "$MODELS/classify" good.csv header.csv
bert-predict -m "$MODELS/answer" good.csv
bert-vocab --size 30 --text-field t good.csv
bert-score --task classify good.csv
bert-train --task classify -m "$MODELS/bare" --steps 1 -o model --text-field t good.csv
