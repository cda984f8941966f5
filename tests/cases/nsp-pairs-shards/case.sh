#!/bin/sh
# Output does not depend on threads or on shards at multiples of the pool; it depends on the seed. A last
# block of one document joins the block before it.
for place in $(seq 0 28); do
  awk -v place="$place" 'BEGIN {
    srand(place); printf "{\"sentences\":["
    for (s = 0; s <= (place + 3) % 7; ++s) {
      printf "%s[", s ? "," : ""
      for (t = 0; t <= rand() * 9; ++t) printf "%s%d", t ? "," : "", 10 + (place * 7 + s + t) % 190
      printf "]"
    }
    print "]}" }'
done >in.jsonl
pairs() { bert-nsp-pairs -m "$MODELS/pretraining" -q --max-length 16 "$@"; }
for rule in '--pool 4' '--pool 4 --dupe-factor 3' '--pool 4 --mode sop' '--pool 4 --mode none' '--pool 7 --seed 3'; do
  # The rule is a list of words.
  # shellcheck disable=SC2086
  {
    pairs $rule -j 1 in.jsonl >one
    pairs $rule -j 2 in.jsonl | cmp - one
    pairs $rule -j 3 --line-buffered in.jsonl | cmp - one
    size=${rule#--pool }
    size=$((3 * ${size%% *}))
    head -n "$size" in.jsonl | pairs $rule >parts
    tail -n +"$((size + 1))" in.jsonl | pairs $rule --first-record "$size" >>parts
    cmp parts one
    pairs $rule --seed 9 in.jsonl | cmp -s - one && echo "the seed does not matter"
  }
  wc -l <one
done
# Positions 24 to 28 are one block, so document 28 can draw from the other four.
pairs --pool 4 --random-next-prob 1 --dupe-factor 20 in.jsonl | grep -c '"document":28,'
