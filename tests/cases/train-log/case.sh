#!/bin/sh
# The training log: one line every few steps with means over them, and one for each evaluation on --dev.
golden=$MODELS/../training
cp "$golden/records.jsonl" dev.jsonl
train() { bert-train --task pretrain -m "$golden/narrow" --out "$@"; }
keys() { sed 's/:[-+.e0-9]*/:N/g' "$1"; }
steps() { sed 's/,.*\(,"lr":[^,]*\).*/\1/; s/,"dev_loss.*/ dev/' "$1"; }
train a --steps 7 --batch-size 8 --log-every 3 --warmup 0 --lr 7e-3 --eval-every 2 --dev dev.jsonl "$golden/records.jsonl" >log
keys log | uniq
steps log
echo '--- one line has the means of three lines of one step each'
train b --steps 3 --batch-size 8 --no-shuffle --log-every 1 "$golden/records.jsonl" >one
train c --steps 3 --batch-size 8 --no-shuffle --log-every 3 "$golden/records.jsonl" >three
cat one three | awk -F '[:,]' '
  { for (i = 3; i <= 12; i += 2) if (NR < 4) sum[i] += $(i + 1); else print $i, (sum[i] / 3 - $(i + 1)) ^ 2 < 1e-10 ? "agrees" : sum[i] / 3 " " $(i + 1) }'
echo '--- dev metrics equal those of the predictions of bert-predict'
train g --steps 100 --batch-size 8 --lr 3e-3 --dev dev.jsonl --log-every 100 "$golden/records.jsonl" | sed -n 's/.*"dev_nsp_accuracy":\([0-9.]*\)}/\1/p' >measured
bert-predict -m g --task next "$golden/records.jsonl" | sed 's/.*"next_sentence_label":\([01]\).*"prediction":\("[a-z_]*"\).*/\1\2/' |
  awk '{ count += $0 == "0\"is_next\"" || $0 == "1\"not_next\"" } END { print count / NR }' | paste - measured |
  awk '{ print (($1 - $2) ^ 2 < 1e-9 && $1 > 0.5) ? "agrees" : $0 }'
echo '--- one evaluation after an epoch that ends with a smaller batch'
train d --epochs 1 --batch-size 50 --log-every 1 --eval-every 1 --dev dev.jsonl "$golden/records.jsonl" | sed 's/,.*//'
echo '--- without next_sentence_label'
sed 's/"next_sentence_label":[01],//' "$golden/records.jsonl" >plain.jsonl
cp plain.jsonl dev-plain.jsonl
train e --steps 2 --dev dev-plain.jsonl plain.jsonl >log
keys log
echo '--- the progress line is cleared at the end'
train f --steps 3 --batch-size 8 --progress always "$golden/records.jsonl" 2>&1 >/dev/null | tr '\r' '\n' | sed 's/[0-9.][0-9.,e-]*/N/g' | sed -n '2p;$p' | od -c | sed 's/  *$//'
echo '--- the learning rate of each schedule'
for schedule in linear cosine constant google; do
  echo $schedule "$(train $schedule --steps 5 --warmup 2 --lr 1 --clip 1e-9 --schedule $schedule --log-every 1 --batch-size 1 "$golden/records.jsonl" |
    sed 's/.*"lr":\([^,]*\).*/\1/' | tr '\n' ' ')"
done
