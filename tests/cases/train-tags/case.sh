#!/bin/sh
# Fine-tuning for tags: the dev metrics during training equal those of bert-predict and bert-score.
. "$CASE/../lib/tags.sh"
head -n 5 train.conll
head -n 1 train.jsonl
echo '--- dev metrics equal those of bert-score, also with windows'
for form in conll jsonl; do
  train --epochs 3 --dev dev.$form --eval-every 5 --out $form train.$form >$form.log || echo "exit $?"
  sed -n 's/.*"dev_f1":\([0-9.]*\).*/\1/p' $form.log | awk 'NR == 1 { first = $1 } END { print NR " measurements, " (($1 > 0.7 && $1 > first + 0.1) ? "better" : "not better: " first " " $1) }'
  figures $form.log >expected
  scored -m $form dev.$form | diff expected - && sed 's/:.*//' expected
  labels $form
done
cmp conll/model.safetensors jsonl/model.safetensors && echo 'the same model'
echo 'old Paris' | bert-predict -m conll --drop entities
printf 'old\nParis\n' | bert-predict -m conll --input-format conll --drop entities
train --epochs 2 --max-length 8 --dev dev.jsonl --out short train.jsonl >short.log
figures short.log >expected
scored -m short --max-length 8 dev.jsonl | diff expected - && echo 'so with short windows'
