#!/bin/sh
# Options set how many tokens are masked and what replaces them.
awk 'BEGIN { for (i = 0; i < 4000; i++) { printf "{\"input_ids\":[2"; for (j = 0; j < 38; j++) printf ",%d", 20 + (i + j) % 20; print ",3]}" } }' >ids.jsonl
# Counts replacements ([MASK] with id 4, the same token, another token) and masked tokens per record.
count() {
  echo "$*"
  bert-mask -m "$MODELS/bare" "$@" ids.jsonl | tr -d '{}"[]' | awk '
    { n = split($0, part, /,?[a-z_]+:/); split(part[2], ids, ","); number = split(part[3], at, ","); split(part[4], was, ",")
      hidden[number]++
      for (i = 1; i <= number; i++) {
        now = ids[at[i] + 1]
        if (now == was[i]) same++; else if (now == 4) mask++; else { other++; if (now < 5) special++ }
      } }
    END {
      for (number in hidden) print "  " hidden[number] " records with " number " hidden"
      all = mask + same + other
      printf "  mask %.2f same %.2f other %.2f%s\n", mask / all, same / all, other / all, special ? " some special" : ""
    }'
}
count
count --max-predictions 4
count --mask-prob 0.3125
count --mask-prob 0
count --mask-rate 1 --random-rate 0
count --mask-rate 0.8 --random-rate 0.2
count --mask-rate 0.8 --random-rate 0
count --mask-rate 0 --random-rate 0.8
count --mask-rate 0 --random-rate 1
count --mask-rate 0 --random-rate 1 --replace-any
