#!/bin/sh
# All tables and pictures of cmd/paper are made from small generated data: with few examples and steps, so that the figures mean
# nothing. What results.py writes is compared with figures made by hand.
# Usage: paper.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) paper=$(cd "$2/../paper" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash flock jq gnuplot
/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo 'skipped: python3-torch is absent'; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
: >log

# ---- results.py
# table MODEL TASK MEAN DEVIATION
table() {
  mkdir -p "by-hand/runs/$1/$2"
  printf 'mean\tdeviation\tbest\truns\n%s\t%s\t1\t5\n0\t0\t0\t5\n' "$3" "$4" >"by-hand/runs/$1/$2/table.tsv"
}
table bert mrpc 0.7000 0.0200
table no-nsp mrpc 0.6900 0.0300
table ltr mrpc 0.7300 0.0150
for model in bert no-nsp ltr; do table "$model" squad1 50.5 -; done
table bert squad1 60.25 0.5
results() { /usr/bin/python3 "$paper/results.py" "$@"; }
results table-5 by-hand --rows 'bert no-nsp ltr' --tasks 'mrpc squad1' --points points >page
cat >expected <<'END'
| model | MRPC | SQuAD 1.1, F1 |
| --- | --- | --- |
| MLM and NSP | 70.0 ± 2.0 | 60.2 ± 0.5 |
| no NSP | 69.0 ± 3.0 | 50.5 |
| left-to-right, no NSP | 73.0 ± 1.5 | 50.5 |

END
sed -n 1,6p page | cmp - expected || fail "the table"
cat >expected <<'END'
- MLM and NSP > no NSP: MRPC +1.0 (no), SQuAD 1.1, F1 +9.8 (one seed)
- no NSP > left-to-right, no NSP: MRPC -4.0 (the opposite), SQuAD 1.1, F1 +0.0 (one seed)
END
tail -n 2 page | cmp - expected || fail "the orderings: $(cat page)"
[ "$(sed -n 2p points)" = "MLM and NSP	70.000	2.000	60.250	0.500" ] || fail "the points: $(cat points)"
results table-5 by-hand --rows 'bert other' --tasks mrpc >page 2>log && fail "a missing model is accepted"
grep -q 'results.py: table-5: .*other/mrpc/table.tsv' log || fail "the message about a missing table"

# ---- All of it.
mkdir texts tasks tasks/conll2003 tasks/openbookqa
for number in $(seq 10 25); do awk -v seed="$number" -f "$here/text.awk" >"texts/$number.txt"; done
sh "$here/glue_data.sh" tasks/glue
rm tasks/glue/QNLI/train.tsv  # so that the dev set is divided
for part in train testa; do
  seq 12 | awk '{ print "The DT O\nKing NNP " ($1 % 2 ? "B-PER" : "I-PER") "\nsaid VB O\n" }' >tasks/conll2003/eng.$part
done
questions() {
  awk -v articles="$1" -v impossible="$2" 'BEGIN {
    split("soup room house king street", noun)
    printf "{\"version\":\"v\",\"data\":["
    for (n = 0; n < articles; n++) {
      text = "The old " noun[n % 5 + 1] " was cold."; none = impossible && n % 3 == 0
      printf "%s{\"title\":\"t\",\"paragraphs\":[{\"context\":\"%s\",\"qas\":[{\"id\":\"q%d\",\"question\":\"What was cold?\",\"is_impossible\":%s,\"answers\":[%s]}]}]}",
        (n ? "," : ""), text, n, (none ? "true" : "false"), (none ? "" : "{\"text\":\"" noun[n % 5 + 1] "\",\"answer_start\":8}")
    }
    print "]}"
  }'
}
questions 12 0 >tasks/squad-train-v1.1.json
questions 12 0 >tasks/squad-dev-v1.1.json
questions 24 1 >tasks/squad-dev-v2.0.json
for part in train dev; do
  printf '{"question":{"stem":"Is it %s?","choices":[{"text":"no","label":"A"},{"text":"yes","label":"B"}]},"answerKey":"B"}\n' 1 2 3 4 \
    >tasks/openbookqa/$part.jsonl
done
build() {
  make "$@" -j 2 -f "$paper/Makefile" TEXTS=texts TASKS=tasks OUT=out SHAPE=4-16-2 SIZES='4-16-2 4-32-2' MASKINGS='80-10-10 100-0-0 80-0-20 80-20-0 0-20-80 0-0-100' LENGTH=32 STEPS=8 FIRST_STEPS=4 FIRST_LENGTH=16 \
    PREPARE_OPTIONS='HELD_OUT=2 SHARD=8 POOL=4' VOCAB_OPTIONS='--size 90' PRETRAIN_OPTIONS='--batch-tokens 256 --max-length 32 --lr 1e-3 --warmup 1' \
    EXAMPLES=8 EXAMPLES.cola=10 EXAMPLES.ner=8 EXAMPLES.qnli=5 EXAMPLES.swag=3 SQUAD_TRAIN_EVERY=2 SQUAD_DEV_EVERY=2 SQUAD2_EVERY=2 EPOCHS=1 SQUAD2_EPOCHS=1 NER_EPOCHS=1 SEEDS=1 BILSTM='UNITS=8 EPOCHS=1'
}
build -n >out.log 2>log || fail "make -n"
build >out.log 2>log || fail "the tables"
for table in table-1 table-2 table-3 table-4 table-5 table-6 table-7 table-8 steps; do
  [ "$(grep -c '^| ---' out/$table.md)" = 2 ] || fail "$table: $(cat out/$table.md)"
  grep -q '^- .* > .*(' out/$table.md || fail "$table has no orderings"
done
grep -q '^| 4-32-2 | [0-9.]* | ' out/table-6.md || fail "table 6"
for picture in loss size masking steps; do grep -q '</svg>' out/$picture.svg || fail "no picture of $picture"; done
[ "$(wc -l <out/data/swag.train.jsonl)" = 3 ] && [ "$(wc -l <out/data/qnli.train.tsv)" = 6 ] || fail "examples: $(wc -l out/data/*)"
[ "$(cut -f 1 out/steps.tsv | paste -s -d ' ')" = 'model 1 2 4 8' ] || fail "the steps: $(cat out/steps.tsv)"
# The models differ as their names say.
[ "$(wc -l <out/loss/bert.tsv)" -gt 0 ] || fail "no loss"
grep -q '"is_decoder": true' out/models/ltr/config.json || fail "ltr is not causal"
cmp -s out/models/bert/model.safetensors out/models/no-nsp/model.safetensors && fail "NSP changes nothing"
[ "$(cksum out/models/mask-*/model.safetensors | cut -d ' ' -f 1 | sort -u | wc -l)" = 6 ] || fail "two maskings give the same model"
build >again.log 2>log || fail "the second time"
grep -q bert- again.log && fail "something was computed again: $(cat again.log)"
true
