# A run stopped by a bad record still reports how many texts before it were truncated, whatever follows.
yes '{"text":"king king king"}' | head -n 2000 >long
(head -n 100 long; echo '{"text":7}'; cat long) >records.jsonl
for tool in tokenize embed predict; do
  for threads in 1 3; do
    bert-$tool -j $threads -m "$MODELS/classify" --max-length 3 records.jsonl | grep -c '"truncated":true'
  done
done
