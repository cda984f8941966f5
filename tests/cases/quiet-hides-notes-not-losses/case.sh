# -q suppresses the count of truncated texts and the messages of -v, but never reports of records missing from
# the output.
printf '{"text":"king king king"}\n{"text":7}\n{"text":"queen"}\n' >records.jsonl
for tool in tokenize embed predict; do
  bert-$tool -q -m "$MODELS/classify" --max-length 3 --on-error skip -o out records.jsonl
  echo "exit $?, $(wc -l <out) records"
  bert-$tool -q -m "$MODELS/classify" records.jsonl >out
  echo "exit $?, $(wc -l <out) record"
done
# Progress is shown on a terminal unless -q is given; script(1) provides a terminal.
cat >slow.sh <<'END'
(echo king; sleep 0.5; echo queen) | bert-tokenize $1 -m "$MODELS/classify" >/dev/null
END
echo "$(script -qec 'sh slow.sh' /dev/null | grep -c 'records,') line of progress"
echo "$(script -qec 'sh slow.sh -q' /dev/null | grep -c 'records,') lines with -q"
