# Rows of an array get their records in every mode, and --index of other records is refused with what it means.
printf '\000\000\200\077\000\000\000\000\000\000\000\000\000\000\200\077\000\000\200\077\000\000\000\077' >points.f32
printf 'one\ntwo\nthree\n' >points.txt
try() {
  echo "-- $*"
  bert-search --dim 2 "$@" </dev/null
}
try --dedup 0.8 --records points.txt points.f32
try --cluster 2 --keep text,cluster --records points.txt points.f32
try --pairs 0.8 --precision 2 --records points.txt points.f32
try --dedup 0.8 --records points.txt
try --dedup 0.8 --records points.txt points.f32 points.f32
try --dedup 0.8 --index points.f32 --records points.txt points.txt
head -n 2 points.txt >fewer.txt
try --dedup 0.9 --index points.f32 fewer.txt
echo '--- the field of the ids; an output that is the index'
for key in a b c; do printf '{"key":"%s","text":"one"}\n' $key; done >keyed.jsonl
try --pairs 0.8 --precision 2 --id-field key --records keyed.jsonl points.f32
try --dedup 0.8 --records points.txt points.f32 -o points.f32
echo "exit $?"
echo '--- records are read as FILEs are: in another encoding, with another delimiter'
printf 'ID;text\n1;one\n2;Caf\351\n3;three\n' >latin.csv
printf '{"embedding":[1,0]}\n' >query.jsonl
search() { bert-search --index points.f32 --dim 2 --with ID,text -k 1 --precision 2 "$@" query.jsonl; }
search --records latin.csv
search --records latin.csv --encoding windows-1252
search --records latin.csv --encoding windows-1252 --delimiter ';' --id-field ID
bert-search --dim 2 --pairs 0.8 --precision 2 --encoding windows-1252 --records latin.csv points.f32
