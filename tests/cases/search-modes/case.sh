# Near-duplicates, pairs and clusters, of records and of rows.
printf '{"id":"%s","embedding":[%s]}\n' a 1,0 b 0.9,0.1 c 0,1 d 1,0 e 0.1,0.9 f -1,0.2 >points.jsonl
echo "deduplicated:"
bert-search --dedup 0.99 --keep id -v points.jsonl
bert-search --dedup 0.15 --metric l2 --keep id points.jsonl
echo "one by one, the same:"
bert-search --dedup 0.99 --keep id --line-buffered points.jsonl | tr -d '\n'; echo
echo "pairs:"
bert-search --pairs 0.99 points.jsonl
bert-search --pairs 0.15 --metric l2 --precision 3 points.jsonl
echo "scores that are written as the threshold:"
printf '{"embedding":[%s]}\n' 0.1,0.2,0.3,0.7 0.3,0.6,0.9,2.1 0.5,1,1.5,3.5 >multiples.jsonl
bert-search --pairs 1 multiples.jsonl
bert-search --dedup 1 multiples.jsonl
printf '{"embedding":[%s]}\n' 0.1 0.3 >steps.jsonl
bert-search --pairs 0.20000002 --metric l2 steps.jsonl
bert-search --pairs 0.2 --metric l2 steps.jsonl
echo "clusters:"
bert-search --cluster 3 --seed 1 --precision 3 --drop embedding points.jsonl
bert-search --cluster 3 --seed 1 --central 1 --metric l2 --keep id,cluster,rank points.jsonl
bert-search --cluster 3 --seed 1 --precision 3 --keep id,cluster --format csv points.jsonl
echo "rows and their records:"
printf '\000\000\200\077\000\000\000\000\000\000\000\000\000\000\200\077\000\000\200\077\000\000\000\077' >points.f32
printf 'one\ntwo\nthree\n' >points.txt
bert-search --dim 2 --dedup 0.8 points.f32
bert-search --dim 2 --dedup 0.8 --index points.f32 points.txt
bert-search --dim 2 --dedup 0.8 --index points.f32 --records points.txt
bert-search --dim 2 --pairs 0.8 --precision 3 --index points.f32
bert-search --dim 2 --cluster 2 --keep text,cluster --index points.f32 points.txt
bert-search --dim 2 --cluster 2 --keep row,cluster points.f32
echo "vectors of another length than --dim:"
for mode in --dedup --pairs --cluster; do bert-search --dim 3 $mode 1 points.jsonl; done
bert-search --dim 2 --cluster 1 --central 1 --keep id points.jsonl
echo "nothing:"
for mode in --dedup --pairs --cluster; do bert-search $mode 1 </dev/null; done
