#!/bin/sh
# After a stop at a bad record, the output is that of the documents before it: the block ends there.
documents() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i) printf "{\"sentences\":[[%d,%d],[%d],[%d]]}\n", 20 + i, 21 + i, 22 + i, 23 + i }'; }
pairs() { bert-nsp-pairs -m "$MODELS/pretraining" -q --max-length 10 "$@"; }
for count in 0 1 2 3 4 5 6 7 8 9 11 30; do
  for rule in '--pool 4' '--pool 64' '--mode sop' '--mode none'; do
    documents $count >before
    { cat before; echo '{"text":"bad"}'; documents 20; } >in.jsonl
    # The rule is a list of words.
    # shellcheck disable=SC2086
    for threads in '-j 1' '-j 2' --line-buffered; do
      pairs $rule $threads in.jsonl >stopped 2>errors
      echo "$?" $threads: "$(cat errors)" >>said
      pairs $rule before 2>/dev/null | cmp - stopped
    done
    printf '%s ' "$(wc -l <stopped)"
  done
  echo "instances of $count documents"
done
sed 's/^\([0-9]\).*: in.jsonl:[0-9]*:/\1 bert-nsp-pairs: in.jsonl:LINE:/' said | sort | uniq -c | sed 's/^ *//'
documents 8 >before
echo '--- a file appears only after success'
{ cat before; echo bad; } | pairs -o out.jsonl --input-format jsonl
ls out.jsonl 2>/dev/null
echo '--- a record that is not JSON, and an input that cannot be read'
{ cat before; echo '{"sentences":'; } | pairs --pool 4 --input-format jsonl | wc -l
pairs --pool 4 --input-format jsonl before /proc/self/mem | wc -l
