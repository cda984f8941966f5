#!/bin/sh
# Blocks are defined by record positions; bad records and documents without sentences count. So shards cut at
# a multiple of the pool give the bytes of one run, or report that this is impossible if their first block has
# a single document.
. "$CASE/../lib/documents.sh"
for share in 0.9 0.5 0.25; do
  for pool in 2 5 8; do
    equal=0 refused=0
    for seed in 1 2 3 4; do
      documents $seed $share >in.jsonl
      pairs --pool $pool --seed $seed in.jsonl >whole 2>/dev/null || echo "one run failed"
      pairs --pool $pool --seed $seed -j 1 in.jsonl 2>/dev/null | cmp - whole
      for cut in $(seq $pool $pool 59); do
        if { head -n "$cut" in.jsonl | pairs --pool $pool --seed $seed &&
          tail -n +$((cut + 1)) in.jsonl | pairs --pool $pool --seed $seed --first-record "$cut"; } >parts 2>errors; then
          equal=$((equal + 1))
          cmp parts whole
        else
          refused=$((refused + 1))
          grep -q 'move the block to the previous shard$\|there is only one document with sentences' errors || cat errors
        fi
      done
    done
    echo "share $share, pool $pool: $equal equal, $refused refused"
  done
done
