# The graph's file is created before it is built, and a failed write does not take the answers away. Without
# hnswlib, the tool must say so.
awk 'BEGIN { for (i = 0; i < 200; ++i) printf "{\"embedding\":[%d,1]}\n", i }' >rows.jsonl
head -n 1 rows.jsonl >query.jsonl
if bert-search --index rows.jsonl --graph whole -k 1 -q query.jsonl >expected 2>said; then
  bert-search --index rows.jsonl --graph nowhere/graph query.jsonl
  echo "exit $?"
  (ulimit -f 8; bert-search --index rows.jsonl --graph graph -k 1 -o answers query.jsonl; echo "exit $?")
  cmp expected answers
  ls
else
  grep -q 'install libhnswlib-dev' said && cat "$CASE/expected.stderr" >&2 && cat "$CASE/expected.stdout"
fi
