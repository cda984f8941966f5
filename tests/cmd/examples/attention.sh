#!/bin/sh
# attention.py draws a map for each head: rows attend to columns, and tokens are shown as they are.
# Usage: attention.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need python3 gnuplot
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
: >log
draw() { python3 "$examples/attention.py" "$@" 2>log | gnuplot 2>>log; }
texts() { sed -n 's/.*<text>\(.*\)<\/text>.*/\1/p' "$1" | paste -s -d '|'; }

# The first token attends to the second: the dark rectangle is at the top right, its left edge in the middle.
echo '{"tokens":["a","b"],"attention":[[[[0,0.5],[0,0]]]]}' | draw >one.svg
sed -n "s/.*polygon fill = 'rgb( *\([0-9]*\),.*points = '\([0-9]*\)[^,]*,\([0-9]*\).*/\1 \2 \3/p" one.svg >cells
awk '{ x[$2]; y[$3] } $1 < 255 { dark = $0 }
  END { for (i in x) if (i + 0 > right) right = i + 0; for (i in y) if (!top || i + 0 < top) top = i + 0; exit dark != "8 " right " " top }' cells ||
  fail "the rectangles: $(paste -s -d , cells)"
[ "$(wc -l <cells)" = 4 ] || fail "the number of rectangles"

# Tokens that mean something to gnuplot or SVG.
row='[1,0,0,0,0,0]'
printf '%s\n' '{"tokens":["`touch x`","%s","##0","\"\\","$é東","<&>"],"attention":[[['$row,$row,$row,$row,$row,$row']]]}' | draw >odd.svg
[ "$(texts odd.svg | cut -d '|' -f 1-6)" = '`touch x`|%s|##0|"\|$é東|&lt;&amp;>' ] || fail "the tokens: $(texts odd.svg)"
[ ! -e x ] || fail "a token was run"

# A layer name that means something to gnuplot.
echo '{"tokens":["a"],"attention":[[[[1]]]]}' | draw "it's \`touch x\` 100%" >name.svg || fail "gnuplot refuses a layer name"
texts name.svg | grep -qF "layer it's \`touch x\` 100%, head 1" || fail "the layer name: $(texts name.svg)"
[ ! -e x ] || fail "a layer name was run"

# All heads of two layers, whose scales differ: weights of special tokens do not count.
echo 'the king of the castle' | "$tools/bert-embed" -m "$models/pretraining" --attention --layers -1,1 | draw -1,1 >two.svg
heads=$(sed -n 's/.*"num_attention_heads": *\([0-9]*\).*/\1/p' "$models/pretraining/config.json")
for title in "layer -1, head 1" "layer -1, head $heads" "layer 1, head 1" "layer 1, head $heads"; do
  texts two.svg | grep -qF "|$title" || fail "no map of $title"
done
[ ! -s log ] || fail "gnuplot complains"
echo '{"tokens":["[CLS]","a","b"],"attention":[[[[1,0,0],[1,0,0.2],[0.9,0.1,0]]]]}' | draw >scale.svg
grep -c "polygon fill = 'rgb( *8, " scale.svg | grep -qx 4 || fail "0.2 is not the darkest between words"

# Refusals.
refused() {
  if echo "$1" | python3 "$examples/attention.py" 1 >out 2>log; then fail "accepted: $1"; fi
  grep -q "$2" log && [ ! -s out ] || fail "the message for $1"
}
refused 'text' 'expected a record with tokens and attention'
refused '' 'expected a record with tokens and attention'
refused '{"tokens":["a","b"],"attention":[[[[1,0],[1]]]]}' 'expected a record with tokens and attention'
refused '{"tokens":["a"]}' 'expected a record with tokens and attention'
# wrong FOUND RECORD: the message says what was found.
wrong() {
  refused "$2" 'expected a record with tokens and attention'
  grep -qF "attention.py: stdin: $1: expected" log && [ "$(wc -l <log)" = 1 ] || fail "does not say: $1"
}
wrong 'no record' ''
wrong 'not JSON' 'text'
wrong 'not JSON' "$(head -c 100000 /dev/zero | tr '\0' '[')"
wrong 'not an object' '["tokens","attention"]'
wrong 'tokens is missing' '{"attention":[[[[1]]]]}'
wrong 'attention is missing' '{"tokens":["a"]}'
wrong 'attention is not an array with elements' '{"tokens":["a"],"attention":null}'
wrong 'tokens is not an array with elements' '{"tokens":[],"attention":[]}'
wrong 'tokens are not strings' '{"tokens":[1],"attention":[[[[1]]]]}'
for weights in '[["x"]]' '[[null]]' '[[true]]' '[[NaN]]' '[[-1]]' '[[7]]' '[]' '[1]' '1' '[[1,0]]' '[[1],[0]]' '[[[1]]]'; do
  wrong 'attention is not an array [layers, heads, 1, 1] of weights' '{"tokens":["a"],"attention":[['"$weights"']]}'
done
for layers in '[1]' '[[]]' '[[],[[[1]]]]' '[[[[1]]],[[[1]],[[1]]]]'; do
  wrong 'attention is not an array [layers, heads, 1, 1] of weights' '{"tokens":["a"],"attention":'"$layers}"
done
refused '{"tokens":["a"],"attention":[[[[1]]],[[[1]]]]}' 'the record has 2 layers, but 1 are named'
if echo '{"tokens":["a"],"attention":[[[[1]]]]}' | python3 "$examples/attention.py" >/dev/full 2>log; then fail "accepted: a full disk"; fi
[ "$(cat log)" = 'attention.py: stdout: No space left on device' ] || fail "the message about a full disk"
: >log
python3 "$examples/attention.py" --help | grep -q 'a map for each head' || fail "no help"
