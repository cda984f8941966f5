#!/bin/sh
# adapt.mk produces the same model from a model and a folder of texts as the tools run by hand, and evaluates
# the old and the new model on held-out texts.
# Usage: adapt.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

trace "$tools" vocab tokenize nsp-pairs mask train

mkdir texts
for number in $(seq 10 29); do awk -v seed="$number" -f "$here/text.awk" >"texts/$number.txt"; done
cp -R "$models/brain" brain

# build OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  out=$1
  shift
  : >ran
  make -f "$examples/adapt.mk" TEXTS=texts OUT="$out" POOL=4 SHARD=8 LENGTH=32 HELD_OUT=3 LR=3e-3 \
    TRAIN_OPTIONS='--batch-size 4' "$@" >log 2>&1 ||
    fail "make fails: $out $*"
}
# ran WHAT COUNTS: checks how often bert-vocab, -tokenize, -nsp-pairs, -mask and -train ran in the last build.
ran() {
  found=$(for tool in vocab tokenize nsp-pairs mask train; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}

build one MODEL=brain
ran "a first build" "0 3 3 0 3"
cut -d ' ' -f 3- one/texts | xargs bert-tokenize -m brain --input-format file --sentences |
  bert-nsp-pairs -m brain --max-length 32 --mode none -q >instances.jsonl
cat one/shards/*/instances.jsonl | cmp - instances.jsonl || fail "other instances"
bert-train --task pretrain -m brain --epochs 3 --lr 3e-3 --max-length 32 --batch-size 4 --dev one/dev/instances.jsonl \
  --out alone instances.jsonl >training
cmp alone/model.safetensors one/model/model.safetensors || fail "another model than that of bert-train"
build one MODEL=brain
ran "nothing to do" "0 0 0 0 0"
tail -n 2 log | cmp - one/compared.jsonl || fail "the comparison is not shown"

# The new model is evaluated as at the end of its training, and the old model is the given one.
after=$(tail -n 1 training | sed 's/^{"step":[0-9]*,//; s/dev_//g')
[ "$(tail -n 1 one/compared.jsonl)" = "{\"model\":\"after\",$after" ] || fail "not as measured in training: $after"
bert-train --task pretrain -m brain --steps 9 --lr 0 --dev one/dev/instances.jsonl --out same instances.jsonl |
  grep dev_ | sed 's/"step":9/"model":"before"/; s/dev_//g' >before
head -n 1 one/compared.jsonl | cmp - before || fail "the model before is another"
awk -F '[:,]' '{ loss[NR] = $4 } END { exit !(NR == 2 && loss[2] < loss[1] - 1) }' one/compared.jsonl || fail "nothing was learned"

# Without MODEL the tools find the model themselves; training does not continue with a different model.
BERT_MODEL=brain build two MODEL=
cmp one/model/model.safetensors two/model/model.safetensors || fail "the model of BERT_MODEL is another"
grep -q -e --model two/TOKENIZE.command && fail "no model was named, but one is passed on"
build three MODEL= EPOCHS=1
grep -q '"vocab_size": *9600' three/model/config.json || fail "it was not the default model that learned"
printf '\n' >>brain/config.json
tried build one MODEL=brain && fail "accepted: a model that changed"
grep -q 'to start again, rm -r one/model' log || fail "does not say that the model changed"
cmp one/model/model.safetensors alone/model.safetensors || fail "the model was changed"
tried build one MODEL=one/model && fail "accepted: the model itself"
grep -q 'would be replaced' log || fail "does not say that the model would be replaced"
build none MODEL=brain HELD_OUT=0 EPOCHS=1
ran "without texts held out" "0 2 2 0 1"
