#!/bin/sh
# The Makefiles say in one line which variable is missing or names a file that does not exist, and run nothing. Folders
# of texts may have spaces in their names and hold Markdown; `make -n` shows what would run.
# Usage: variables.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
files=$here/../../docs/files models=$here/../../golden/models
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash flock
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
: >log

# refused MESSAGE RECIPE VARIABLE=VALUE...
refused() {
  message=$1 recipe=$2
  shift 2
  if make -f "$examples/$recipe.mk" OUT=out "$@" >log 2>&1; then fail "$recipe accepts $*"; fi
  [ "$(wc -l <log)" = 1 ] || fail "$recipe $*: more than one line"
  grep -qF -e "*** $message.  Stop." log || fail "$recipe $* does not say: $message"
  if [ -e out ]; then fail "$recipe $*: something ran"; fi
}
cp "$files/rated.tsv" "$files/reviews.txt" .
for recipe in sentiment pairs tagger answers swag sweep features bilstm; do
  set -- TASK=classify
  refused 'TRAIN=FILE says what to learn from' $recipe "$@"
  refused 'DEV=FILE says what to measure on' $recipe "$@" TRAIN=rated.tsv
  [ $recipe = swag ] || refused 'TRAIN=absent: there is no absent' $recipe "$@" TRAIN=absent DEV=rated.tsv
  [ $recipe = swag ] || refused 'DEV=absent: there is no absent' $recipe "$@" TRAIN=rated.tsv DEV=absent
  refused 'MODEL=bert-base: there is no bert-base' $recipe "$@" TRAIN=rated.tsv DEV=rated.tsv MODEL=bert-base
done
refused 'TRAIN=my data.tsv: there is no my; names must not contain spaces' sentiment TRAIN='my data.tsv' DEV=rated.tsv
refused "EMBED_OPTIONS=--on-error skip: a record left out would shift the labels after it" features TRAIN=rated.tsv DEV=rated.tsv EMBED_OPTIONS='--on-error skip'
refused "READ_OPTIONS=--on-error=skip: a sentence left out would shift the tags after it" tagger TRAIN=rated.tsv DEV=rated.tsv READ_OPTIONS=--on-error=skip
printf 'sentence\tlabel\na good day\tpos\n' >sst.tsv
columns='its first line is sentence	label'
for recipe in sentiment features; do
  refused "sst.tsv: has no column text: set TEXT to another one; $columns" $recipe TRAIN=sst.tsv DEV=sst.tsv
  refused "sst.tsv: has no column Label: set LABEL to another one; $columns" $recipe TRAIN=sst.tsv DEV=sst.tsv TEXT=sentence LABEL=Label
done
refused "sst.tsv: has no column sentence1: set TEXT to another one; $columns" pairs TRAIN=sst.tsv DEV=sst.tsv
refused 'TEXTS=absent: there is no absent' map TEXTS=absent
refused 'TEACHER=DIR says which model to learn from' distill TRAIN=rated.tsv DEV=rated.tsv
refused 'TEACHER=absent: there is no absent' distill TEACHER=absent TRAIN=rated.tsv DEV=rated.tsv
refused 'TEXTS=absent: there is no such folder' model TEXTS=absent
refused 'TEXTS=absent: there is no such folder' adapt TEXTS=absent
refused 'GLUE=absent: there is no absent' glue GLUE=absent
command -v jq >/dev/null || need jq
refused 'train.csv=absent: there is no absent' swag TRAIN=absent DEV=rated.tsv
refused 'MODELS=absent: there is no absent' ensemble MODELS=absent DEV=rated.tsv
refused 'EVIDENCE=absent: there is no absent' triviaqa TRIVIAQA=rated.tsv EVIDENCE=absent DEV=rated.tsv
mkdir empty
refused "empty contains no file named *.txt *.md; set NAMES='*.rst' for others" pretraining TEXTS=empty

# Texts in Markdown. A folder with a space gives the bytes of one without.
mkdir texts 'my texts'
for number in $(seq 10 21); do
  awk -v seed="$number" -f "$here/text.awk" >texts/$number.md
  cp texts/$number.md 'my texts'
done
for folder in texts 'my texts'; do
  set -- TEXTS="$folder" OUT=work POOL=4 SHARD=8 HELD_OUT=2 LENGTH=32 VOCAB_OPTIONS='--size 90' PRESET=tiny STEPS=2
  make -s -f "$examples/model.mk" "$@" >log 2>&1 || fail "model.mk with $folder"
  mv work "work of $folder"
done
cmp 'work of texts/model/model.safetensors' 'work of my texts/model/model.safetensors' || fail 'other models'

# Defaults fit each other: without MODEL, the layers are those of the default model.
make -s -f "$examples/features.mk" TRAIN=rated.tsv DEV=rated.tsv OUT=features >log 2>&1 || fail 'features.mk without MODEL'
grep -q '"accuracy":1' log || fail 'the features tell nothing'

# Without a terminal, a training says where its log is.
make -f "$examples/sentiment.mk" TRAIN=rated.tsv DEV=rated.tsv OUT=sentiment MODEL="$models/pretraining" EPOCHS=1 >log 2>&1 ||
  fail sentiment.mk
grep -qx 'training; the log is sentiment/classifier.jsonl' log || fail 'no word of the log'

need zip
sh "$here/glue_data.sh" glue
make -n -f "$examples/glue.mk" GLUE=glue OUT=dry >log 2>&1 || fail 'make -n of glue.mk'
grep -q 'sweep.mk OUT=dry/CoLA' log || fail 'make -n does not show the sweeps'
