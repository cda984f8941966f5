#!/bin/sh
# A run without usable records fails. A run that fails before its first checkpoint leaves nothing behind.
train() { bert-train --task pretrain -m "$MODELS/../training/narrow" --no-shuffle --batch-size 2 --out out "$@" >log; echo "exit $?"; }
echo '--- all records are bad' >&2
echo '{"text":"king"}' >bad.jsonl
train --on-error skip bad.jsonl
echo '--- no records' >&2
: >empty.jsonl
train empty.jsonl
train --steps 3 <empty.jsonl
train missing.jsonl
: >empty.csv
bert-train --task classify --text-field Review -m "$MODELS/bare" -o out empty.csv
echo '--- a run that fails before its first checkpoint leaves nothing behind' >&2
printf '{"input_ids":[2,9,3],"masked_lm_positions":[5],"masked_lm_ids":[3]}\n' >wrong.jsonl
train --out folder/fresh wrong.jsonl
[ -e folder/fresh ] && echo 'folder/fresh is there' >&2
true
