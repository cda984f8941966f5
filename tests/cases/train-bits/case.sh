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
