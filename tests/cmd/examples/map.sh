#!/bin/sh
# map.mk draws texts; its coordinates keep the distances of vectors that lie in a plane.
# Usage: map.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make bash gnuplot setsid
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
: >texts
mkdir flat
cp vectors flat/vectors.tsv
make -s -o flat/vectors.tsv -f "$examples/map.mk" TEXTS=texts OUT=flat LABEL=label >log 2>&1 || fail "vectors in a plane"
distances() { awk '{ x[NR] = $1; y[NR] = $2; for (i = 1; i < NR; i++) printf "%.2f\n", sqrt(($1 - x[i]) ^ 2 + ($2 - y[i]) ^ 2) }' "$1"; }
tail -n +2 flat/map.tsv >points
distances plane >expected
distances points | cmp - expected || fail "the map changes distances"
[ "$(cut -f 3 points | sort | uniq -c | tr -s ' \n' ' ')" = " 2 even 3 odd one " ] || fail "labels: $(cut -f 3 points)"
grep -q '>odd one<' flat/map.svg || fail "map.svg lacks a label"

# From texts, with and without labels.
printf 'text\ttopic\nthe king\ta\nthe queen\ta\na good day\tb\n' >texts.tsv
make -s -f "$examples/map.mk" MODEL="$models/sentence-old" TEXTS=texts.tsv OUT=labelled LABEL=topic >log 2>&1 || fail "texts with labels"
[ "$(tail -n +2 labelled/map.tsv | cut -f 3 | tr '\n' ' ')" = "a a b " ] || fail "labels of texts"
tail -n +2 texts.tsv | cut -f 1 >texts.txt
make -s -f "$examples/map.mk" MODEL="$models/sentence-old" TEXTS=texts.txt OUT=plain >log 2>&1 || fail "texts without labels"
tail -n +2 labelled/map.tsv | cut -f 1,2 >labelled.points
tail -n +2 plain/map.tsv | cut -f 1,2 | cmp - labelled.points || fail "labels change the map"
if make -s -f "$examples/map.mk" MODEL="$models/sentence-old" TEXTS=texts.tsv OUT=missing LABEL=none 2>log; then
  fail "a missing label is no error"
fi
grep -q 'no record has the field "none"' log || fail "the message about a missing label"
[ ! -e missing/map.svg ] || fail "a map was drawn without labels"

# Labels are shown as they are, each with its own points; records without the label are "(none)".
cat >names <<'END'
5" nail
"Hamlet" play
"
'
a b
a_b
50%
{x}_1
a\nb
@
#c
$HOME
`ls`
<&>
7
007
END
{
  sed 's/["\\]/\\&/g; s/.*/{"text":"the king &","topic":"&"}\n{"text":"a queen &","topic":"&"}/' names
  echo '{"text":"the soup"}'
} >names.jsonl
mapped() { make -s -f "$examples/map.mk" MODEL="$models/sentence-old" TEXTS=names.jsonl OUT=names.map LABEL=topic "$@" >log 2>&1; }
mapped || fail "labels with special characters"
{ cat names; echo '(none)'; } | sed 's/&/\&amp;/; s/</\&lt;/' | LC_ALL=C sort >expected
sed -n 's/.*<text>\([^<]*\)<\/text>.*/\1/p' names.map/map.svg | LC_ALL=C sort | cmp - expected || fail "other labels in the map"
[ "$(grep -c 'xlink:href=.#gpPt6' names.map/map.svg)" = $((2 * $(wc -l <names) + 1 + $(wc -l <expected))) ] || fail "not every text has a point"

# What changed is rebuilt: the label, the model, an option, the size.
changed() {
  what=$1
  shift
  cp names.map/map.svg before.svg
  mapped "$@" || fail "$what"
  cmp -s before.svg names.map/map.svg && fail "$what changes nothing"
  touch -d '1 hour ago' names.map/vectors.tsv
  touch -d '59 minutes ago' names.map/map.tsv
  find names.map -name '*.command' -exec touch -d '2 hours ago' {} +
}
touch -d '3 hours ago' names.jsonl
sed 1,4d names.jsonl >others.jsonl
cp -R "$models/sentence-old" other
long_ago() { find other others.jsonl -type f -exec touch -d '3 hours ago' {} +; }
long_ago
changed "another label" LABEL=text
changed "another model" LABEL=text MODEL=other EMBED_OPTIONS='--pooling cls'
changed "another option" LABEL=text MODEL=other
cp -R "$models/sentence-new/." other
changed "a model that changed" LABEL=text MODEL=other
long_ago
changed "another size" LABEL=text MODEL=other SIZE=400,300
changed "other texts" LABEL=text MODEL=other SIZE=400,300 TEXTS=others.jsonl

# Killed while gnuplot writes.
mkdir bin
cat >bin/gnuplot <<END
#!/bin/sh
$(command -v gnuplot) "\$@" >drawn
head -n 20 drawn
kill -9 0
END
chmod +x bin/gnuplot
cp names.map/map.svg before.svg
rm names.map/map.svg
if PATH=$PWD/bin:$PATH setsid --wait make -s -f "$examples/map.mk" MODEL=other TEXTS=others.jsonl OUT=names.map LABEL=text \
  SIZE=400,300 >log 2>&1; then fail "gnuplot was not killed"; fi
mapped LABEL=text MODEL=other SIZE=400,300 TEXTS=others.jsonl || fail "after a kill"
cmp before.svg names.map/map.svg || fail "another map after a kill"

# Errors: no texts, and no gnuplot, which is noticed before the work.
: >none.txt
mapped TEXTS=none.txt OUT=none LABEL= && fail "accepted: no texts"
grep -q '^none.txt: number of texts: 0; a map needs at least 3$' log || fail "the message about no texts"
ln -s "$(command -v bash)" "$(command -v sh)" "$(command -v mkdir)" "$(command -v make)" bin
rm bin/gnuplot
(PATH=$PWD/bin; mapped OUT=undrawn) && fail "accepted: no gnuplot"
grep -q 'gnuplot is not installed' log || fail "the message about gnuplot"
[ ! -e undrawn ] || fail "work was done without gnuplot"
