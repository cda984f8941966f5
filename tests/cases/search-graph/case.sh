# Approximate search: the graph is written once, and is only for its vectors. Without hnswlib, the tool
# must say so; the refusals, whose exit status is 1, are then not tried.
printf '{"embedding":[%s]}\n' 1,0 0,1 1,1 -1,0 0,-1 2,1 >points.jsonl
if bert-search --index points.jsonl --graph links -k 2 --precision 3 points.jsonl >first 2>said; then
  head -1 said >&2
  bert-search --index points.jsonl -k 2 --precision 3 points.jsonl | cmp - first
  cp links before
  bert-search --index points.jsonl --graph links -k 2 --precision 3 points.jsonl | cmp - first
  cmp links before
  bert-search --index points.jsonl --graph links --metric l2 points.jsonl
  tail -n +2 points.jsonl >others.jsonl
  bert-search --index others.jsonl --graph links points.jsonl
  printf '{"embedding":[%s]}\n' 0,1 1,0 1,1 0,-1 -1,0 1,2 >mirrored.jsonl
  bert-search --index mirrored.jsonl --graph links points.jsonl
  { echo bert-search graph 1; tail -n +2 before; } >old
  bert-search --index points.jsonl --graph old points.jsonl
  head -c 300 before >links
  bert-search --index points.jsonl --graph links points.jsonl
  printf '\377' | dd of=before bs=1 seek=90 conv=notrunc 2>log
  bert-search --index points.jsonl --graph before points.jsonl
  bert-search --index points.jsonl --graph others.jsonl points.jsonl
else
  grep -q 'install libhnswlib-dev' said && cat "$CASE/expected.stderr" >&2 && exit 1
  cat said
fi
