#!/bin/sh
# features.mk computes features for each text and each word and trains on them; it rebuilds only what changed.
# Usage: features.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make bash setsid
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

trace "$tools" tokenize embed score

# build OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  out=$1
  shift
  : >ran
  ${start-} make -f "$examples/features.mk" OUT="$out" MODEL="$models/pretraining" LAYERS=-1,-2 "$@" >log 2>&1 ||
    fail "make fails: $out $*"
}
# ran WHAT COUNTS: checks how often bert-tokenize, -embed and -score ran in the last build.
ran() {
  found=$(for tool in tokenize embed score; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}

# Texts sorted by label; the label in the third column follows from the text.
table() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("soup room house king street", noun); split("old,cold and bad,clean and good", is, ",")
    print "number\ttext\tkind"
    for (k = 1; k <= 3; k++) for (n = first; n <= last; n++) print n "\tThe " noun[n % 5 + 1] " was " is[k] ".\tkind " k
  }'
}
table 1 12 >train.tsv
table 13 17 | sed 's/$/\r/' >dev.tsv
texts() { build texts TRAIN=train.tsv DEV=dev.tsv LABEL=kind "$@"; }
texts
ran "texts" "0 2 1"
# Two layers of 32 numbers, averaged over the tokens; checks the second and the last text line.
for line in 2 16; do
  bert-embed -m "$models/pretraining" --layers -1,-2 --format tsv --precision 4 --text-field text dev.tsv |
    sed -n "$((line - 1))p" | paste -d '\t' - >vector
  sed -n "${line}s/^.*\t\(.*\)\r/$line\t\1/p" dev.tsv | paste - vector >expected
  grep "^$line	" texts/features/dev.tsv | cmp - expected || fail "other features of line $line"
done
[ "$(cut -f 1 texts/features/weights.tsv | sort | paste -s -d ,)" = 'kind 1,kind 2,kind 3' ] || fail "other labels"
grep -q '"accuracy":1,' texts/features/score.json || fail "nothing was learned: $(cat texts/features/score.json)"
[ "$(wc -l <texts/features/predictions.tsv)" = 16 ] || fail "not all texts have a prediction"
texts
ran "nothing to do" "0 0 0"
texts EPOCHS=3
ran "fewer epochs" "0 0 1"
texts EPOCHS=3 LAYERS=-1
ran "another layer" "0 2 1"
touch dev.tsv
texts EPOCHS=3 LAYERS=-1
ran "new texts to measure on" "0 1 1"
BERT_MODEL=$models/pretraining texts EPOCHS=3 LAYERS=-1 MODEL=
grep -q -e --model texts/features/EMBED.command && fail "no model was named, but one is passed on"

texts RATE=0
ran "no rate" "0 2 1"
cut -f 2- texts/features/weights.tsv | tr '\t' '\n' | grep -v '^-\?0$' && fail "something was learned at no rate"

# Words: a word's tag depends on the word alone, so features of other words would fail. One sentence is longer
# than the limit.
words() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("old Paris the King of \"said\\ good year", word); split("O B-LOC O B-PER O B-MISC O O", type)
    for (n = first; n <= last; n++) {
      if (n % 8 == 1) print "-DOCSTART- -X- O\n"
      if (n % 4 == 1) print "# id = " n
      for (w = 0; w < (n == last ? 140 : n % 7 + 1); w++) {
        i = (n * 7 + w * (1 + n % 3)) % 8 + 1
        print word[i] "\t_\t" type[i]
      }
      print ""
    }
  }'
}
words 1 30 >train.conll
words 31 41 >dev.conll
names() { build "$@" FORMAT=conll TRAIN=train.conll DEV=dev.conll; }
names names LENGTH=32
ran "words" "2 2 1"
[ -z "$(cut -f 1 names/features/dev.tsv | uniq -d)" ] || fail "a word has the features of several tokens"
cut -f 1-3 names/features/tagged.conll | cmp - dev.conll || fail "the words were changed"
# With a limit of 32 tokens, some of 140 words have no features and are tagged O; all others must be right.
awk -F '\t' '
  NR == FNR { has[$1] = $2; next }
  NF == 4 && FNR in has { known++; if ($3 != has[FNR] || $4 != $3) wrong++ }
  NF == 4 && !(FNR in has) { cut++; if ($4 != "O") wrong++ }
  END { exit !(known > 40 && cut > 100 && cut < 140 && !wrong) }' names/features/dev.tsv names/features/tagged.conll ||
  fail "not every word has its tag"
"$tools/bert-predict" -m "$models/tag" dev.conll --drop entities >/dev/null || fail "dev.conll is not read by bert-predict"
grep -q '"f1":' names/features/score.json || fail "no score"
names names LENGTH=32
ran "no words to do" "0 0 0"

# After a kill in the middle of any step, the next run gives the same files.
for program in awk grep paste; do
  run=1
  while rm -rf killed && killed $program $run names killed LENGTH=32; do
    names killed LENGTH=32
    diff -r -x '.*' -x '*.part' names killed >log || fail "after a kill in run $run of $program"
    run=$((run + 1))
  done
  [ $run -gt 2 ] || fail "$program was not killed"
done

tried names names LENGTH=200 && fail "accepted: longer sequences than the model takes"

tried build other TRAIN=train.tsv DEV=dev.tsv LABEL=none && fail "accepted: a column that is not there"
grep -q 'train.tsv: has no column none' log || fail "does not name the column"
tried build other TRAIN=train.tsv && fail "accepted: no DEV"
grep -q 'DEV=FILE says' log || fail "does not say that DEV is missing"

# No recipe writes its target itself, which a kill would leave incomplete: see `into` in common.mk. The others write
# with `-o` of a tool.
grep -nE '[^&]>>? ?\$?\$@($|[ ;])' "$examples"/*.mk | grep -v 'common.mk:.*%s' >log && fail "a recipe writes its target"
true
