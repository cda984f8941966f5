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
