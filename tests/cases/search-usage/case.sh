# Invalid command lines: exit code 2 and one line with a hint at --help.
try() {
  bert-search "$@" </dev/null
  echo "exit $?"
}
try
try --index points.jsonl -k 0
try --index points.jsonl --metric l1
try --dedup 1.5
try --pairs -1 --metric l2
try --dedup 0.9 --pairs 0.9
try --dedup 0.9 -k 3
try --pairs 0.9 --drop a
try --cluster 0
try --cluster 2 --metric dot
try --central 2 --index points.jsonl
try --seed 2 --index points.jsonl
try --records texts --dedup 0.9
try --index points.jsonl --records texts --dedup 0.9 texts
try --index points.jsonl --candidates 20
try --index points.jsonl --pooling none
try --index points.jsonl --with id
try --index points.jsonl --with score
try --index points.jsonl --with x,y --with x
