#!/bin/sh
# Continued training of a model from another run, with and without its optimizer moments.
golden=$MODELS/../training
train() { bert-train --task pretrain --batch-size 6 --no-shuffle --warmup 0 --schedule constant --dropout 0 --out "$@" "$golden/records.jsonl" >/dev/null; }
same() { cmp -s "$1/model.safetensors" "$2/model.safetensors" && echo "$1 = $2" || echo "$1 differs from $2"; }
train first -m "$golden/narrow" --steps 20
train both -m "$golden/narrow" --steps 40
train second -m first --steps 20
train moments -m first --steps 20 --moments
same both second
same both moments
echo '--- --moments without a checkpoint; the model directory is only read'
ln -s "$golden/narrow" narrow
train none -m narrow --steps 1 --moments
[ -e "$golden/narrow/checkpoints" ] || echo 'nothing was made'
echo '--- model_max_length is that of the model, whatever the length of the records'
train short -m "$golden/narrow" --steps 1 --max-length 40 --on-error skip 2>&1 | tail -n 1 | sed 's/[0-9][0-9]*/N/'
grep model_max_length short/tokenizer_config.json
train first -m second --steps 1
ls first/checkpoints
