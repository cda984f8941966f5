#!/bin/sh
# distill.mk produces the same models as the tools run by hand, compares them with the teacher, and rebuilds only what
# changed.
# Usage: distill.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash setsid
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

trace "$tools" embed train

awk 'BEGIN {
  split("king queen film story book music love light", word)
  for (i = 1; i <= 8; ++i) for (k = 1; k <= 8; ++k) print "the " word[i] " of a " word[k] (k % 2 ? ", a " word[9 - k] : "")
}' >train.txt
sed -n '1~5s/the/a/p' train.txt >dev.txt
paste -d '\t' dev.txt train.txt | awk -F '\t' 'BEGIN { print "text\ttext_pair\tlabel" } NR < 13 { print $0 "\t" NR % 5 }' >pairs.tsv
cp -R "$models/sentence-old" teacher

# build OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  out=$1
  shift
  : >ran
  ${start-} make -f "$examples/distill.mk" TEACHER=teacher TRAIN=train.txt DEV=dev.txt OUT="$out" PRESET=tiny LENGTH=32 \
    EMBEDDER_EPOCHS=4 EMBEDDER_OPTIONS='--lr 1e-3 --batch-size 8 --save-every 8' ENCODER_OPTIONS='--batch-size 8 --save-every 3' "$@" >log 2>&1 ||
    fail "make fails: $out $*"
}
# ran WHAT COUNTS: checks how often bert-embed and -train ran in the last build.
ran() {
  found=$(for tool in embed train; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}

build one PAIRS=pairs.tsv
ran "a first build" "2 4"
bert-train -q --task distill --teacher teacher --preset tiny --vocab one/encoder/vocab.txt --max-length 32 --batch-size 8 --out encoder \
  train.txt >/dev/null
cmp encoder/model.safetensors one/encoder/model.safetensors || fail "another encoder than that of bert-train"
for name in train dev; do bert-embed -m teacher --max-length 32 --format npy -o $name.npy $name.txt; done
bert-train -q --task embed -m encoder --loss cosine --teacher-vectors train.npy --dev-vectors dev.npy --max-length 32 --epochs 4 \
  --lr 1e-3 --batch-size 8 --dev dev.txt --out embedder train.txt >training
cmp embedder/model.safetensors one/embedder/model.safetensors || fail "another embedder than that of bert-train"
awk -F '[:,}]' '/"dev_loss"/ { loss[++n] = $4 } END { exit !(n == 4 && loss[4] < 0.8 * loss[1]) }' one/embedder.jsonl ||
  fail "nothing was learned"
[ "$(tail -n 2 log | sed 's/,.*"spearman":.*//' | paste -s -d ' ')" = '{"model":"teacher" {"model":"student"' ] || fail "no comparison"
build one PAIRS=pairs.tsv
ran "nothing to do" "0 0"
build one PAIRS=pairs.tsv EMBEDDER_EPOCHS=2
ran "fewer epochs" "0 3"
touch dev.txt
build one
ran "other texts to measure on" "1 2"
tail -n 1 log | grep -q '"dev_loss":' || fail "does not show what was learned"
printf '\n' >>teacher/config.json
build one
ran "another teacher" "2 2"
rm -r one/embedder
build one
ran "a deleted model" "0 1"
