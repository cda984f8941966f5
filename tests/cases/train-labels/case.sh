#!/bin/sh
# Which labels a model learns: those of the records, or the given ones.
. "$CASE/../lib/labels.sh"
echo '--- labels in byte order; integers by value'
classify r.jsonl
records 10 '"9"' 2 >numbers.jsonl
classify numbers.jsonl
echo '--- --labels, also with labels that no record has'
classify --labels c,b,x,a r.jsonl
classify --labels c,b r.jsonl
records '"c"' '"a"' | classify --labels a,c
echo '--- from a pipe'
records '"c"' '"a"' | classify
