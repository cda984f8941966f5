#!/bin/sh
# Equal bytes for any number of threads and for shards; different bytes for another seed, epoch, document or
# instance.
awk 'BEGIN {
  for (i = 0; i < 20000; i++) {
    printf "{\"input_ids\":[2"
    for (j = 0; j < 5 + i % 40; j++) printf ",%d", 20 + (i * 7 + j * 13) % 200
    print ",3]}"
  }
}' >ids.jsonl
mask() { bert-mask -m "$MODELS/bare" "$@"; }
same() { cmp -s whole "$1" && echo "$2: same" || echo "$2: another"; }
mask -j 1 ids.jsonl >whole
wc -l <whole
for threads in 2 3; do mask -j $threads ids.jsonl >other; same other "$threads threads"; done
split -l 7000 ids.jsonl shard.
place=0
for shard in shard.*; do
  mask --first-record $place $shard
  place=$((place + 7000))
done >other
same other shards
mask shard.* >other; same other 'several files'
mask --line-buffered ids.jsonl >other; same other 'line by line'
tail -n +2 ids.jsonl | mask >other
tail -n +2 whole | cmp -s - other || echo 'other places: another'
mask --seed 1 ids.jsonl >other; same other 'another seed'
mask --epoch 1 ids.jsonl >other; same other 'another epoch'

echo '--- with document and instance'
awk '{ sub(/}$/, ""); print $0 ",\"document\":" int(NR / 10) ",\"instance\":" NR % 10 "}" }' ids.jsonl >pairs.jsonl
mask pairs.jsonl | sort >whole
sort -r pairs.jsonl | mask -j 2 | sort >other; same other 'another order'
mask --first-record 5 pairs.jsonl | sort >other; same other 'another place'
mask --seed 1 pairs.jsonl | sort >other; same other 'another seed'
mask --epoch 1 pairs.jsonl | sort >other; same other 'another epoch'
one() { echo "{\"input_ids\":[2,20,21,22,23,24,25,26,27,28,29,30,31,32,33,3]$1}" | mask --mask-prob 0.5 --drop document,instance; }
for record in '' ',"document":0,"instance":0' ',"document":1,"instance":0' ',"document":0,"instance":1'; do one "$record"; done | sort -u | wc -l
one ',"document":3' >whole
one '' >other
same other 'a document alone'
