# --on-error stop writes the records before the bad one; skip leaves bad records out and counts them.
cat >records.jsonl <<'END'
{"text":"king"}
{"title":"queen"}
{"text":7}
{"text":"king","text":"queen"}
{"text":"old"}
END
for policy in stop skip; do
  echo "-- $policy"
  bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 --on-error $policy records.jsonl
  echo "exit $?"
done
printf 'king\nqu\377een\nold\n' >bytes.txt
bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 bytes.txt
bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 --invalid-utf8 replace bytes.txt
bert-embed -m "$MODELS/sharded" -o out records.jsonl
[ -e out ] || echo 'no output after a failure'
