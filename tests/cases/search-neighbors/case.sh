# Neighbors by each metric, best first, equal scores by row; ids of records, or rows.
printf '{"id":"%s","kind":%s,"embedding":[%s]}\n' a 1 1,0 b '"x"' 0,2 c '[1]' 1,0 d null 0,0 e 5 -3,0 >points.jsonl
echo '{"embedding":[2,0],"neighbors":0,"x":1}' >query.jsonl
for metric in cosine dot l2; do bert-search --index points.jsonl --metric $metric query.jsonl; done
echo "k is limited by the index:"
bert-search --index points.jsonl -k 9 query.jsonl | grep -o '"id"' | wc -l
echo "fields of the neighbors:"
bert-search --index points.jsonl -k 4 --with kind,missing,embedding --drop embedding query.jsonl
bert-search --index points.jsonl -k 3 --id-field kind --keep neighbors query.jsonl
echo "any number of threads:"
bert-search --index points.jsonl -j 1 query.jsonl >one
bert-search --index points.jsonl -j 5 query.jsonl | cmp - one && echo equal
echo "tables:"
bert-search --index points.jsonl -k 1 --keep x,neighbors --format tsv query.jsonl
