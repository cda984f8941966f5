# Bad indexes, records and vectors are named; exit code 1.
printf '{"embedding":[%s]}\n' 1,0 0,1 1,1 >points.jsonl
try() {
  bert-search "$@" </dev/null
  echo "exit $?"
}
try --index nowhere.npy points.jsonl
try --index . points.jsonl
echo text >text.npy
try --index text.npy points.jsonl
echo text >text.txt
try --index text.txt points.jsonl
printf '12345678\000\000\200\177' >bad.f32
try --index bad.f32 points.jsonl
try --index bad.f32 --dim 2 points.jsonl
try --index bad.f32 --dim 1 points.jsonl
printf '{"embedding":[1,0]}\n{"embedding":[1]}\n' >wide.jsonl
try --index wide.jsonl points.jsonl
try --index points.jsonl --dim 3 points.jsonl
try --index points.jsonl --records text.txt points.jsonl
try --index points.jsonl --cluster 2 text.txt
try --index points.jsonl --dedup 0.9 text.txt
try --cluster 4 points.jsonl
echo "bad records:"
for value in '[1,2,3]' '[]' '[1,"2"]' '[1,1e39]' 7 '"AACAPw"' '"AACAPw=="' '"AADAfwAAAAA="'; do
  echo "{\"embedding\":$value}" | bert-search --index points.jsonl -k 1
done
printf '{"embedding":[1]}\n{"embedding":[5,1],"id":7}\n' |
  bert-search --index points.jsonl -k 1 --precision 3 --on-error skip
printf '{"embedding":[1,2]}\n{"embedding":[1]}\n' | bert-search --dedup 1
echo "a model that does not exist:"
try --index points.jsonl -m nowhere text.txt
try --index points.jsonl -m nowhere points.jsonl -k 1 --keep neighbors
printf 'x' >short.f32
try --index points.jsonl --dim 2 short.f32
echo "bad records of the index:"
printf '{"id":"a"}\n{"id":bad}\n{"id":"c","id":"d"}\n' >records.jsonl
printf '{"embedding":[%s]}\n' 1,0 0,1 1,1 >queries.jsonl
printf '\000\000\200\077\000\000\000\000\000\000\000\000\000\000\200\077\000\000\200\077\000\000\200\077' >rows.f32
for k in 1 3; do try --index rows.f32 --dim 2 --records records.jsonl --on-error skip -k $k -o out queries.jsonl; done
sed -n 3p queries.jsonl >query.jsonl
try --index rows.f32 --dim 2 --records records.jsonl --on-error skip -k 1 query.jsonl
printf '{"embedding":[1,0],"x":1,"x":2}\n' >twice.jsonl
try --index twice.jsonl --with x query.jsonl
try --index twice.jsonl --with y --keep neighbors query.jsonl
echo "files that are no index, and ids that are not unique:"
printf '\020\000\000\000\000\000\000\000{}' >model.safetensors
try --index model.safetensors points.jsonl
try --index - points.jsonl
printf '{"id":%s,"embedding":[1,0]}\n' 1 '"a"' 1 '"a"' >ids.jsonl
try --index ids.jsonl -k 1 --precision 2 --keep neighbors query.jsonl
printf '{"id":1,"window":%s,"embedding":[1,0]}\n' 0 1 >windows.jsonl
try --index windows.jsonl -k 1 --precision 2 --keep neighbors query.jsonl
echo 'the king' >king.txt
try --index points.jsonl -m "$MODELS/bare" king.txt
