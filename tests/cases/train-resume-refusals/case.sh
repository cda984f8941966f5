#!/bin/sh
# A run is continued only with --resume, and only with the same options and records.
. "$CASE/../lib/resume.sh"
golden=$MODELS/../training
train begun --no-shuffle open.jsonl >/dev/null
train parts --no-shuffle <open.jsonl >/dev/null
echo '--- without --resume'
train begun --no-shuffle open.jsonl
echo "exit $?"
echo '--- other options'
train begun --resume open.jsonl
train begun --no-shuffle --resume --seed 5 --clip 2 --lr 0.00012345678 --whole-word --steps 1234567 open.jsonl
train begun --no-shuffle --resume --dropout 0.2 open.jsonl
bert-train --task pretrain --preset tiny --vocab "$golden/narrow/vocab.txt" --out begun --resume --no-shuffle --dropout 0.1 --batch-size 6 --steps 20 --lr 2e-3 open.jsonl 2>&1 | sed 's/([0-9]*)/(SUM)/g'
echo '--- other records, or too few'
train begun --no-shuffle --resume "$golden/records.jsonl" 2>&1 | sed 's/[0-9][0-9]* bytes/N bytes/g'
train begun --no-shuffle --resume <open.jsonl 2>&1 | sed 's/[0-9][0-9]* bytes/N bytes/g'
head -n 30 open.jsonl | train parts --no-shuffle --resume
sed "3s/\[2,[0-9]*/[2,77/" open.jsonl >changed.jsonl
train begun --no-shuffle --resume changed.jsonl
printf '{"text":"%s","words":"%s","label":"%s","class":"%s"}\n' king man a b queen woman b a >labels.jsonl
cp labels.jsonl more.jsonl
choose() { bert-train -q --task classify -m "$MODELS/bare" --steps 2 --batch-size 2 --out chosen "$@"; }
choose --dev labels.jsonl --best accuracy labels.jsonl >log
choose --dev more.jsonl --best accuracy --eval-every 1 --text-field words --label-field class --resume labels.jsonl
echo "exit $?"
bert-train -q --task classify -m "$MODELS/classify" --steps 2 --batch-size 2 --out chosen --resume --dev labels.jsonl --best accuracy labels.jsonl 2>&1 |
  sed 's/([0-9]*)/(SUM)/g' | sed "s|$MODELS|MODELS|g"
