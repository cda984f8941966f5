#!/bin/sh
# map.mk draws texts; its coordinates keep the distances of vectors that lie in a plane.
# Usage: map.sh TOOLS_DIRECTORY COOKBOOK_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) cookbook=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make gnuplot
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'python3-numpy is missing'; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
: >log

# Vectors in the plane of (1,2,2)/3 and (2,1,-2)/3, away from the origin.
printf '%s\n' '3 0' '-3 0' '1 1' '-1 -1.5' '0.5 0.5' >plane
awk 'BEGIN { print "label\ta\tb\tc" }
  { printf "%s\t%.9f\t%.9f\t%.9f\n", NR % 2 ? "odd one" : "even", 5 + ($1 + 2 * $2) / 3, (2 * $1 + $2) / 3, 1 + (2 * $1 - 2 * $2) / 3 }' \
  plane >vectors
touch -d '1 hour ago' texts
mkdir flat
cp vectors flat/vectors.tsv
make -s -f "$cookbook/map.mk" TEXTS=texts OUT=flat LABEL=label
distances() { awk '{ x[NR] = $1; y[NR] = $2; for (i = 1; i < NR; i++) printf "%.2f\n", sqrt(($1 - x[i]) ^ 2 + ($2 - y[i]) ^ 2) }' "$1"; }
tail -n +2 flat/map.tsv >points
distances plane >expected
distances points | cmp - expected || fail "the map changes distances"
[ "$(cut -f 3 points | sort | uniq -c | tr -s ' \n' ' ')" = " 2 even 3 odd one " ] || fail "labels: $(cut -f 3 points)"
grep -q '>odd_one<' flat/map.svg || fail "map.svg lacks a label"

# From texts, with and without labels.
printf 'text\ttopic\nthe king\ta\nthe queen\ta\na good day\tb\n' >texts.tsv
make -s -f "$cookbook/map.mk" MODEL="$models/sentence-old" TEXTS=texts.tsv OUT=labelled LABEL=topic
[ "$(tail -n +2 labelled/map.tsv | cut -f 3 | tr '\n' ' ')" = "a a b " ] || fail "labels of texts"
tail -n +2 texts.tsv | cut -f 1 >texts.txt
make -s -f "$cookbook/map.mk" MODEL="$models/sentence-old" TEXTS=texts.txt OUT=plain
tail -n +2 labelled/map.tsv | cut -f 1,2 >labelled.points
tail -n +2 plain/map.tsv | cut -f 1,2 | cmp - labelled.points || fail "labels change the map"
if make -s -f "$cookbook/map.mk" MODEL="$models/sentence-old" TEXTS=texts.tsv OUT=missing LABEL=none 2>log; then
  fail "a missing label is no error"
fi
grep -q 'no record has the field none' log || fail "the message about a missing label"
[ ! -e missing/map.svg ] || fail "a map was drawn without labels"
