#!/bin/sh
# Equal results for a pipe and a FILE, for accumulated and whole batches, for --batch-size and --batch-tokens.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
# train OUT OPTION...: trains with masking by bert-train and with dropout.
train() { bert-train --task pretrain -m "$golden/narrow" --dropout 0.1 --steps 30 --batch-size 8 --lr 2e-3 --log-every 30 --out "$@"; }
same() { cmp -s "./$1/model.safetensors" "./$2/model.safetensors" && echo "$1 = $2" || echo "$1 differs from $2"; }
echo '--- --no-shuffle: a pipe gives the same result as a FILE'
head -n 120 open.jsonl | train first --no-shuffle --steps 15 --warmup 0 --schedule constant >/dev/null
train second --no-shuffle --steps 15 --warmup 0 --schedule constant open.jsonl >/dev/null
same first second
echo '--- gradient accumulation equals one batch except for rounding, also with dropout and masking'
for cut in '8 1' '4 2' '2 4'; do
  train "parts $cut" --steps 1 --log-every 1 --warmup 0 --batch-size "${cut% *}" --accumulate "${cut#* }" open.jsonl |
    sed 's/.*"loss":\([0-9.]*\),.*"gradient_norm":\([0-9.]*\),.*/\1 \2/'
done >losses
awk 'NR == 1 { loss = $1; norm = $2; next } { print ($1 - loss) ^ 2 < 1e-11 && ($2 - norm) ^ 2 < 1e-9 ? "near" : "far: " $0 " " loss " " norm }' losses
echo '--- --batch-tokens: one record per batch, or all'
for pair in '--batch-size/1 --batch-tokens/1' '--batch-size/120 --batch-tokens/100000'; do
  for batch in $pair; do
    bert-train --task pretrain -m "$golden/narrow" --epochs 1 --warmup 0 --schedule constant "${batch%/*}" "${batch#*/}" --out "${batch%/*}" open.jsonl >/dev/null
  done
  same --batch-size --batch-tokens
  rm -r -- --batch-size --batch-tokens
done
