#!/bin/sh
# The mask of a record with document and instance depends on these, not on its place.
. "$CASE/../lib/mask_ids.sh"
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
