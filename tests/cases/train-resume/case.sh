#!/bin/sh
# A stopped run that is resumed ends with the bytes of an uninterrupted one: 20 steps = 10 + 10.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
# train OUT OPTION... [FILE]
train() { bert-train --task pretrain -m "$golden/narrow" --dropout 0.1 --batch-size 6 --steps 20 --lr 2e-3 --out "$@"; }
same() { cmp "$1/model.safetensors" "$2/model.safetensors" && echo "$1 = $2"; }
train whole --no-shuffle open.jsonl >whole.jsonl
echo '--- a pipe that ends after 10 steps, then the complete input'
head -n 60 open.jsonl | train parts --no-shuffle | sed 's/,.*/}/'
train parts --no-shuffle --resume -v <open.jsonl 2>said >parts.jsonl
grep -v multiplies said | sed 's/, .*//'
train pipe --no-shuffle <open.jsonl >pipe.jsonl
same pipe parts
same pipe whole
sed -n '/"step":20/s/,"tokens_per.*//p' pipe.jsonl parts.jsonl whole.jsonl | uniq | wc -l
echo '--- --resume starts a new run; on a finished run it changes nothing'
train begun --no-shuffle --resume open.jsonl >/dev/null
same begun whole
train begun --no-shuffle --resume -q open.jsonl
same begun whole
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
echo '--- a damaged checkpoint is skipped; if all are damaged, it is an error'
train damaged --no-shuffle --save-every 5 --keep 3 open.jsonl >/dev/null
ls damaged/checkpoints
printf 'x' | dd of=damaged/checkpoints/step-00000020/optimizer.safetensors bs=1 seek=5000 conv=notrunc 2>/dev/null
: >damaged/checkpoints/step-00000015/state.json
rm damaged/model.safetensors
train damaged --no-shuffle --resume -v --save-every 5 open.jsonl 2>said >/dev/null
grep -v multiplies said >&2
same damaged whole
for file in damaged/checkpoints/*/optimizer.safetensors; do : >"$file"; done
train damaged --no-shuffle --resume open.jsonl
echo "exit $?"
