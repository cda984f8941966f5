#!/bin/sh
# bilstm.mk trains a BiLSTM on the features of words and rebuilds only what changed.
# Usage: bilstm.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make bash
/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo 'skipped: python3-torch is absent'; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
trace "$tools" tokenize embed score

# A word's tag depends on the word before it, which a classifier of single words could not learn from layer 0.
# One sentence of the dev set is longer than the limit, and one has only a word without tokens.
sentences() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("old Paris the King of good year", word)
    for (n = first; n <= last; n++) {
      before = ""
      for (w = 0; w < (n == 40 ? 60 : n % 7 + 2); w++) {
        now = word[(n * 5 + w * (1 + n % 3)) % 7 + 1]
        print now "\t" (before == "the" || before == "Paris" ? "B-LOC" : before == "King" ? "B-PER" : "O")
        before = now
      }
      print ""
    }
  }'
}
sentences 1 30 >train.conll
{ sentences 31 40; printf '\302\255\tB-LOC\n'; } >dev.conll
build() {
  : >ran
  make -f "$examples/bilstm.mk" OUT=out MODEL="$models/pretraining" TRAIN=train.conll DEV=dev.conll LENGTH=32 LAYERS=0 UNITS=16 \
    EPOCHS=40 THREADS=1 LSTM_OPTIONS='--lr 1e-2' "$@" >log 2>&1 ||
    fail "make fails: $*"
}
ran() {
  found=$(for tool in tokenize embed score; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}
build SEEDS='1 2'
ran "two seeds" "2 2 2"
# The words beyond the limit cost recall.
grep -q '"precision":\(1\|0.9[5-9][0-9]*\),"recall":0.[67]' out/score-1.json || fail "not learned: $(cat out/score-1.json)"
awk -F '\t' 'NR == 2 { exit !($2 > 0 && $3 > $1 && $4 == 2) }' out/table.tsv || fail "the table: $(cat out/table.tsv)"
mean=$(sed 's/.*"f1":\([^,]*\),"accuracy".*/\1/' out/score-1.json out/score-2.json | awk '{ sum += $1 } END { printf "%.4f\n", sum / NR }')
[ "$(sed -n 2p out/table.tsv | cut -f 1)" = "$mean" ] || fail "the mean is not $mean"
# Words keep their order and tags; those beyond the limit, and one without tokens, are O.
sed 's/.*"words": \[\(.*\)\], "tags": \[\(.*\)\], "prediction".*/\1|\2/; s/, / /g; s/"//g' out/predictions-1.jsonl >words
awk 'NF { words = words (words == "" ? "" : " ") $1; tags = tags (tags == "" ? "" : " ") $2; next }
  { print words "|" tags; words = tags = "" } END { print words "|" tags }' dev.conll | cmp - words || fail "other words"
tail -n 1 out/predictions-1.jsonl | grep -q '"prediction": \["O"\]' || fail "a word without tokens"
tail -n 2 out/predictions-1.jsonl | head -n 1 | sed 's/.*"prediction": \[//; s/\].*//; s/, /\n/g' | tail -n +31 | sort -u | grep -qx '"O"' ||
  fail "words beyond the limit have tags"

build SEEDS='1 2'
ran "nothing to do" "0 0 0"
build SEEDS='1 2 3'
ran "one more seed" "0 0 1"
build SEEDS=2
ran "one seed" "0 0 0"
[ "$(sed -n 2p out/table.tsv | cut -f 2,4)" = "-	1" ] || fail "the table of one seed: $(cat out/table.tsv)"
build SEEDS=1 LAYERS=-1,-2 MIX=weighted
ran "other layers" "0 2 1"
cp out/predictions-1.jsonl weighted
build SEEDS=1 LAYERS=-1,-2
ran "concatenated" "0 0 1"
cmp -s out/predictions-1.jsonl weighted && fail "MIX changes nothing"
build SEEDS=1 UNITS=8 LAYERS=-1,-2
ran "fewer units" "0 0 1"

if /usr/bin/python3 "$examples/bilstm.py" --train out/train.jsonl out/dev.npy --dev out/dev.jsonl out/dev.npy >/dev/null 2>log; then
  fail "features of other records are accepted"
fi
grep -q 'bilstm.py: out/dev.npy: has [0-9]* rows, but out/train.jsonl has [0-9]* tokens' log || fail "the message about other records"
: >empty.conll
tried build TRAIN=empty.conll && fail "accepted: nothing to learn from"
grep -qx 'bilstm.py: out/train.jsonl: has no sentences' log || fail "the message about an empty TRAIN"
tried build DEV=empty.conll && fail "accepted: nothing to evaluate on"
grep -qx 'bilstm.py: out/dev.jsonl: has no sentences' log || fail "the message about an empty DEV"
printf '\302\255\tB-LOC\n' >odd.conll
tried build TRAIN=odd.conll && fail "accepted: no word to learn from"
grep -qx 'bilstm.py: out/train.jsonl: no word has tokens to learn from' log || fail "the message about words without tokens"
cut -f 1 train.conll >words.conll
tried build TRAIN=words.conll && fail "words without tags are accepted"
grep -q 'bilstm.py: out/train.jsonl:1: field "tags" is missing' log || fail "the message about missing tags"
