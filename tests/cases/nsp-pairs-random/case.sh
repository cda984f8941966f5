#!/bin/sh
# Which documents random sentences come from, in blocks of four; "." is an empty document.
pairs() { bert-nsp-pairs -m "$MODELS/pretraining" -q --max-length 12 --on-error skip "$@"; }
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
