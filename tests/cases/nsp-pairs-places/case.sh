#!/bin/sh
# Blocks are defined by record positions; bad records and documents without sentences count. So shards cut at
# a multiple of the pool give the bytes of one run, or report that this is impossible if their first block has
# a single document.
pairs() { bert-nsp-pairs -m "$MODELS/pretraining" -q --max-length 12 --on-error skip "$@"; }
# Documents of two to four sentences at `share` of the positions; empty documents or bad records elsewhere.
documents() {
  awk -v seed="$1" -v share="$2" 'BEGIN {
    srand(seed)
    for (place = 0; place < 60; ++place) {
      if (rand() >= share) { print rand() < 0.5 ? "{\"sentences\":[[],[]]}" : "{\"text\":\"bad\"}"; continue }
      printf "{\"sentences\":["
      for (s = 0; s < 2 + place % 3; ++s) printf "%s[%d,%d]", s ? "," : "", 20 + 4 * place % 160 + s, 190
      print "]}"
    }
  }'
}
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

echo '--- three shards, the second without documents'
documents 1 1 | head -n 16 >first
documents 1 0 | head -n 16 >second
documents 2 1 | head -n 16 >third
cat first second third | pairs --pool 8 >whole 2>/dev/null
{ pairs --pool 8 first; pairs --pool 8 --first-record 16 second; pairs --pool 8 --first-record 32 third; } 2>/dev/null | cmp - whole

echo '--- which documents random sentences come from, in blocks of four; "." is an empty document'
lenders() {
  echo "$1"
  echo "$1" | tr -d ' ' | sed 's/./&\n/g' | awk 'NF { place = NR - 1
    if ($0 == ".") print "{\"sentences\":[]}"; else printf "{\"sentences\":[[%d],[%d],[%d]]}\n", 20 + place, 20 + place, 20 + place }' |
    pairs --pool 4 --random-next-prob 1 --dupe-factor 30 --drop token_type_ids |
    sed 's/.*\[2,\([0-9]*\).*,3,\([0-9]*\).*,3\].*/\1 \2/' | sort -u |
    awk '{ of = $1 - 20; by[of] = by[of] " " $2 - 20; if (of > last) last = of } END { for (i = 0; i <= last; ++i) if (i in by) print "  " i ":" by[i] }'
}
lenders 'xx.. ..x. xx..'
lenders 'x... xx..'
lenders 'x... .x.. xxx.'
lenders 'xx.. x... x... x... x... xx..'
lenders 'xx.. x... ..x. .x.. xx..'
lenders 'xxxx .... ...x'
