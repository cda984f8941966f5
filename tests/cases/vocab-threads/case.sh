# Threads and input format make no difference, nor does the order until words are dropped from the counts.
awk 'BEGIN { for (i = 0; i < 20000; i++) print "word" i * i % 997, "number" i % 1013, i * 7919 % 10007 }' >text
bert-vocab --size 3000 -j 1 --counts one.tsv -o one.txt text
for threads in 2 3; do
  bert-vocab --size 3000 -j $threads --counts more.tsv --force -o more.txt text
  cmp one.txt more.txt && cmp one.tsv more.tsv && echo "$threads threads: same"
done
bert-vocab --size 3000 --input-format file text | cmp one.txt - && echo "one record: same"
sort -r text | bert-vocab --size 3000 | cmp one.txt - && echo "another order: same"
for threads in 1 2 3; do
  bert-vocab -q --size 0 --max-words 500 -j $threads --counts - -o /dev/null text | cksum
done
wc -l <one.txt
