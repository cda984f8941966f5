#!/bin/sh
# The weights are a function of input, seed and options: equal bytes for any number of threads and with
# --recompute.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
# train OUT OPTION...: trains with masking by bert-train and with dropout.
train() { bert-train --task pretrain -m "$golden/narrow" --dropout 0.1 --steps 30 --batch-size 8 --lr 2e-3 --log-every 30 --out "$@"; }
same() { cmp -s "./$1/model.safetensors" "./$2/model.safetensors" && echo "$1 = $2" || echo "$1 differs from $2"; }
train one -j 1 open.jsonl >one.jsonl
train two -j 2 open.jsonl >two.jsonl
same one two
train recompute --recompute open.jsonl >recompute.jsonl
same one recompute
for log in two recompute; do
  for file in one $log; do sed 's/,"tokens_per.*//' "$file.jsonl" >"$file.figures"; done
  cmp one.figures $log.figures
done
train seed --seed 1 open.jsonl >/dev/null
same one seed
train order --no-shuffle open.jsonl >/dev/null
same one order
train masked "$golden/records.jsonl" >/dev/null
same one masked
train rate --mask-prob 0.3 open.jsonl >/dev/null
same one rate
for optimizer in google lamb; do
  train $optimizer --optimizer $optimizer open.jsonl >/dev/null
  same one $optimizer
done
echo '--- two FILEs give the same result as one'
head -n 50 open.jsonl >a.jsonl
tail -n +51 open.jsonl >b.jsonl
train parts a.jsonl b.jsonl >/dev/null
same one parts
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
