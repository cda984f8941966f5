# With --on-error skip, the rows of skipped records take part in nothing; all records count, the last one included.
printf '\000\000\200\077\000\000\000\000\000\000\000\000\000\000\200\077\000\000\200\077\012\327\043\074\000\000\000\000\256\107\201\077' >rows.f32
run() {
  # shellcheck disable=SC2086
  bert-search $1 --dim 2 --index rows.f32 --records records.jsonl --on-error skip --precision 3
  echo "exit $?"
}
modes() {
  for mode in "--pairs 0.9" "--dedup 0.9" "--cluster 2" "--cluster 1 --metric l2" "--cluster 2 --central 1"; do
    echo "$mode:"
    run "$mode"
  done
}
printf '{"id":"a"}\n{"id":bad}\n{"id":"c"}\n{"id":"d"}\n' >records.jsonl
modes
echo "-- the first one"
printf '{bad}\n{"id":"b"}\n{"id":"c"}\n{"id":"d"}\n' >records.jsonl
modes 2>messages
echo "-- the last one"
printf '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n{bad}\n' >records.jsonl
modes
echo "-- all"
printf '{bad}\n{bad}\n{bad}\n{bad}\n' >records.jsonl
modes 2>messages
echo "-- fewer and more records than rows"
printf '{"id":"a"}\n{bad}\n' >records.jsonl
run "--pairs 0.9"
printf '{"id":"a"}\n{bad}\n{"id":"c"}\n{"id":"d"}\n{"id":"e"}\n' >records.jsonl
run "--pairs 0.9"
echo "-- a record that cannot be written"
printf '{"id":"%s","cluster":1%s,"embedding":[%s]}\n' a "" 1,0 b ',"cluster":2' 0,1 c "" 1,1 |
  bert-search --cluster 1 --on-error skip --keep id,cluster,rank
