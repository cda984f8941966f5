#!/bin/sh
# The fine-tuning Makefiles give the same models, predictions and scores as the tools run by hand. After a
# kill, the next run ends with the same bytes. Only what changed is rebuilt.
# Usage: fine-tuning.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make bash
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

trace "$tools" train predict score
trace_checkpoints

# build RECIPE OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  recipe=$1 out=$2
  shift 2
  : >ran
  make -f "$examples/$recipe.mk" OUT="$out" "$@" >log 2>&1 ||
    fail "make fails: $recipe.mk: $out $*"
}
# ran WHAT COUNTS: checks how often bert-train, -predict and -score ran in the last build.
ran() {
  found=$(for tool in train predict score; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}
# refused WHAT ARGUMENT...: checks that a build of sentiments fails with this message.
refused() {
  what=$1
  shift
  tried build sentiment other "$@" && fail "accepted: $what"
  grep -q -e "$what" log || fail "does not say: $what"
}

# table FIRST LAST: good and bad sentences, and pairs with a number, in one table.
table() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("soup room house king street", noun)
    print "text\tlabel\tsentence1\tsentence2\tscore"
    for (n = first; n <= last; n++) {
      is = n % 2 ? "clean and good" : "cold and bad"; a = noun[n % 5 + 1]; b = noun[n % 3 + 1]
      print "The " a " was " is ".\t" (n % 2 ? "good" : "bad") "\tThe " a " was " is ".\tThe " b " was " is ".\t" (n % 2 ? 4.5 : 1)
    }
  }'
}
table 1 40 >train.tsv
table 41 52 >dev.tsv
options='--batch-size 4 --save-every 4 --log-every 5 --plot plot.svg'
sentiments() {
  out=$1
  shift
  build sentiment "$out" MODEL="$models/bare" TRAIN=train.tsv DEV=dev.tsv LR=3e-3 "TRAIN_OPTIONS=$options" "$@"
}

# The results equal those of the tools run by hand, and the model has learned.
sentiments one
ran "sentiments" "1 1 1"
# shellcheck disable=SC2086  # options is a list of words
bert-train --task classify -m "$models/bare" --epochs 3 --lr 3e-3 $options --dev dev.tsv --out alone train.tsv >training
cmp alone/model.safetensors one/classifier/model.safetensors || fail "another model than that of bert-train"
bert-predict -m one/classifier dev.tsv | cmp - one/classifier.predictions.jsonl || fail "other predictions"
bert-predict -m one/classifier dev.tsv | bert-score --task classify | cmp - one/classifier.score.json || fail "another score"
tail -n 1 log | cmp - one/classifier.score.json || fail "the score is not shown"
grep -q '"accuracy":1,' one/classifier.score.json || fail "nothing was learned: $(cat one/classifier.score.json)"
[ ! -e one/classifier/checkpoints ] || fail "checkpoints stayed"
told() { sed 's/,"tokens_per_second".*//' "$1"; }
told training >expected
told one/classifier.jsonl | cmp - expected || fail "another log"
sentiments one
ran "nothing to do" "0 0 0"

# Other score or prediction options keep the model; other training options, data or models retrain it.
sentiments one 'SCORE_OPTIONS=--metric accuracy'
ran "another score" "0 0 1"
grep -qx '{"records":12,"accuracy":1}' one/classifier.score.json || fail "not the score that was asked for"
sentiments one 'PREDICT_OPTIONS=--precision 3'
ran "other predictions" "0 1 1"
sentiments one model
ran "the model alone" "0 0 0"
sentiments one EPOCHS=2
ran "fewer epochs" "1 1 1"
[ "$(tail -n 1 one/classifier.jsonl | cut -d , -f 1)" = '{"step":20' ] || fail "not two epochs"
sentiments one
cmp alone/model.safetensors one/classifier/model.safetensors || fail "another model than before"
touch train.tsv
sentiments one
ran "new data" "1 1 1"
cp -R "$models/bare" bare
sentiments one MODEL=bare
ran "another model's name" "1 1 1"
touch bare/model.safetensors
sentiments one MODEL=bare
ran "a model that changed" "1 1 1"
BERT_MODEL=bare sentiments one MODEL=
ran "the model of BERT_MODEL, which bert-train finds" "1 1 1"
grep -q -e --model one/classifier.LEARN.command && fail "no model was named, but one is passed on"
rm -r one/classifier
BERT_MODEL=bare sentiments one MODEL=
ran "a model that was removed" "1 1 1"
cmp alone/model.safetensors one/classifier/model.safetensors || fail "another model than before it was removed"

# Killed, also before the first checkpoint was complete, and stopped by a signal to make.
for end in 'kill -9 $PPID; exit' 'rm -r two/classifier/checkpoints; kill -9 $PPID; exit' \
  'read -r _ _ _ make _ </proc/$PPID/stat; kill -TERM $make; sleep 1'; do
  rm -rf two
  echo "[ ! -e $directory/two/classifier/checkpoints/step-00000008 ] || { $end; }" >end
  tried sentiments two && fail "the run was not ended by $end"
  rm end
  printf '{"step":8,"lo' >>two/classifier.jsonl  # half a line, as a power failure may leave it
  [ ! -d two/classifier/checkpoints ] || flock --nonblock two/classifier/checkpoints true || fail "bert-train outlives make"
  [ ! -e two/classifier/config.json ] && [ ! -e two/classifier.score.json ] || fail "a result is there after $end"
  grep -q '^{"step":20,' two/classifier.jsonl && fail "it was not ended at its step 8 by $end"
  sentiments two
  ran "after $end" "1 1 1"
  cmp alone/model.safetensors two/classifier/model.safetensors || fail "another model after $end"
  told two/classifier.jsonl | cmp - expected || fail "another log after $end"
done

# Numbers for pairs.
build pairs one MODEL="$models/bare" TRAIN=train.tsv DEV=dev.tsv LR=3e-3 TRAIN_OPTIONS='--batch-size 4'
bert-predict -m one/regressor --text-field sentence1 --pair-field sentence2 dev.tsv |
  bert-score --task regress --label-field score | cmp - one/regressor.score.json || fail "another score of pairs"
awk -F '[:,]' '$4 < 0.5 { exit 1 }' one/regressor.score.json || fail "pairs: $(cat one/regressor.score.json)"
build pairs one MODEL="$models/bare" TRAIN=train.tsv DEV=dev.tsv LR=3e-3 TRAIN_OPTIONS='--batch-size 4'
ran "no pairs to do" "0 0 0"
build sentiment one MODEL=bare TRAIN=train.tsv DEV=dev.tsv EPOCHS=1
[ -e one/regressor ] || fail "one folder for both"

# Tags for words: columns, including lines that are not words, and JSON.
words() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("old Paris the King of Paris said a good year", word); split("O LOC O PER PER LOC O O O O", type)
    for (n = first; n <= last; n++) {
      if (n % 8 == 1) print "-DOCSTART- -X- O\n"
      if (n % 4 == 1) print "# id = " n
      for (w = 0; w < n % 7 + 1; w++) {
        i = (n * 7 + w * (1 + n % 3)) % 10 + 1
        print word[i] (w == 3 ? "\"\\" : "") " _ " (type[i] == "O" ? "O" : "I-" type[i])
      }
      print ""
    }
  }'
}
words 1 60 >train.words
words 61 80 >dev.words
names() { build tagger one MODEL="$models/bare" TRAIN=train.words DEV=dev.words LR=3e-3 TRAIN_OPTIONS='--batch-size 4'; }
names
ran "tags" "1 1 1"
bert-predict -m one/tagger --input-format conll dev.words >predicted
cmp predicted one/tagger.predictions.jsonl || fail "other tags"
bert-score --task tag predicted | cmp - one/tagger.score.json || fail "another score of tags"
awk -F '[:,]' '$10 < 0.5 { exit 1 }' one/tagger.score.json || fail "tags: $(cat one/tagger.score.json)"
sed '/^-DOC\|^#\|^$/!s/ [^ ]*$//' one/tagger.tagged.conll | cmp - dev.words || fail "the words were changed"
grep -v '^-DOC\|^#' one/tagger.tagged.conll >tagged
bert-score --task tag --input-format conll tagged | sed 's/"types".*//' >came
sed 's/"types".*//' one/tagger.score.json | cmp - came || fail "the tagged file has other tags"
names
ran "no tags to do" "0 0 0"
rm one/tagger.tagged.conll
names
ran "the tagged file" "0 0 0"
[ -s one/tagger.tagged.conll ] || fail "no tagged file"
json() { bert-predict -m one/tagger --input-format conll --drop prediction,entities "$1"; }
json train.words >train.jsonl
json dev.words >dev.jsonl
build tagger json MODEL="$models/bare" TRAIN=train.jsonl DEV=dev.jsonl LR=3e-3 TRAIN_OPTIONS='--batch-size 4'
cmp one/tagger.score.json json/tagger.score.json || fail "JSON is not learned as columns are"
treebank() {
  awk -F ' ' 'BEGIN { OFS = "\t" } /^-DOC/ { getline; next } /^#|^$/ { word = 0; print; next }
    { word++; print word, $1, "_", $3, "_", "_", "_", "_", "_", "_" }' "$1"
}
treebank train.words >train.conllu
treebank dev.words >dev.conllu
build tagger tree MODEL="$models/bare" TRAIN=train.conllu DEV=dev.conllu EPOCHS=1
grep -q accuracy tree/tagger.score.json || fail "no score of a treebank"
[ ! -e tree/tagger.tagged.conll ] || fail "a treebank has a tagged file of columns"
make -f "$examples/tagger.mk" OUT=tree MODEL=x TRAIN=x DEV=x READ_OPTIONS='--input-format conllu' >log 2>&1 &&
  fail "accepted: a format that FORMAT does not know"
grep -q 'FORMAT=conllu' log || fail "no word on FORMAT: $(cat log)"

# Answers to questions.
squad() {
  awk -v first="$1" -v last="$2" -v without="$3" 'BEGIN {
    split("soup room house king street", noun)
    printf "{\"data\":[{\"title\":\"t\",\"paragraphs\":["
    for (n = first; n <= last; n++) {
      text = (n % 2 ? "Yes, the " : "The old ") noun[n % 5 + 1] " was old."; none = without && n % 3 == 0
      printf "%s{\"context\":\"%s\",\"qas\":[{\"id\":\"q%d\",\"question\":\"What was %s?\"%s,\"answers\":[", (n > first ? "," : ""),
        text, n, (none ? "new" : "old"), (!without ? "" : none ? ",\"is_impossible\":true" : ",\"is_impossible\":false")
      if (!none) printf "{\"text\":\"%s\",\"answer_start\":%d}", noun[n % 5 + 1], index(text, noun[n % 5 + 1]) - 1
      printf "]}]}"
    }
    print "]}],\"version\":\"" (without ? "v2.0" : "1.1") "\"}"
  }'
}
for version in 1 2; do
  squad 1 40 $((version - 1)) >train.json
  squad 41 52 $((version - 1)) >dev.json
  threshold=$([ $version = 1 ] || echo 0)
  answers() {
    build answers $version MODEL="$models/bare" TRAIN=train.json DEV=dev.json LR=3e-3 THRESHOLD="$threshold" \
      TRAIN_OPTIONS='--batch-size 4' ANSWER_OPTIONS='--max-answer-length 3'
  }
  answers
  ran "answers $version" "1 1 1"
  bert-predict -m $version/answerer --input-format squad --max-answer-length 3 ${threshold:+--no-answer-threshold $threshold} \
    --format squad dev.json | cmp - $version/answerer.predictions.json || fail "other answers of $version"
  bert-score --task answer --gold dev.json $version/answerer.predictions.json | cmp - $version/answerer.score.json ||
    fail "another score of answers of $version"
  grep -q '"no_answer_f1"' $version/answerer.score.json && found=2 || found=1
  [ $found = $version ] || fail "not the score of SQuAD $version"
  answers
  ran "no answers to do" "0 0 0"
done

# Options with quotes and spaces.
sed '1s/text/Review (it'"'"'s text)/' train.tsv >quoted.tsv
build sentiment quoted MODEL=bare TRAIN=quoted.tsv DEV=quoted.tsv EPOCHS=1 TEXT="\"Review (it's text)\""
ran "a column with quotes" "1 1 1"
build sentiment quoted MODEL=bare TRAIN=quoted.tsv DEV=quoted.tsv EPOCHS=1 TEXT="\"Review (it's text)\""
ran "a column with quotes, again" "0 0 0"
build sentiment quoted MODEL=bare TRAIN=quoted.tsv DEV=quoted.tsv EPOCHS=1 TEXT="'Review (it'\\''s text)'"
ran "a column with other quotes" "1 1 1"
sed '1s/text/Review text/' train.tsv >spaces.tsv
build sentiment quoted MODEL=bare TRAIN=spaces.tsv DEV=spaces.tsv EPOCHS=1 TEXT='Review text'
ran "a column with a space" "1 1 1"

# Without MODEL the default model is fine-tuned.
sentiments default MODEL= EPOCHS=1
ran "the default model" "1 1 1"
grep -q '"vocab_size": *9600' default/classifier/config.json || fail "it was not the default model that learned"

# Errors are reported.
refused 'TRAIN=FILE says' DEV=dev.tsv
refused 'DEV=FILE says' TRAIN=train.tsv
refused 'MODEL=nowhere: there is no nowhere' TRAIN=train.tsv DEV=dev.tsv MODEL=nowhere
refused 'has no column sentence: set TEXT' TRAIN=train.tsv DEV=dev.tsv MODEL=bare TEXT=sentence
refused 'would be replaced' TRAIN=train.tsv DEV=dev.tsv MODEL=./other/classifier/
tried build sentiment '' TRAIN=train.tsv DEV=dev.tsv && fail "accepted: no OUT"
grep -q 'OUT=FOLDER says' log || fail "does not say that OUT is missing"
