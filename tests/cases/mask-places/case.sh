#!/bin/sh
# Equal bytes for any number of threads and for shards; different bytes for another seed or epoch.
. "$CASE/../lib/mask_ids.sh"
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
