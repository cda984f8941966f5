#!/bin/sh
# Dev metrics of long texts equal those of bert-predict and bert-score to the last digit.
. "$CASE/../lib/sentences.sh"
awk 'BEGIN {
  split("good great love light bad dark less old film story book music the was is river", word)
  for (i = 0; i < 24; ++i) {
    text = word[i % 16 + 1]
    for (j = 0; j < 20 * i; ++j) text = text " " word[(i * i + j * (i + 3)) % 16 + 1]
    printf "{\"text\":\"%s\",\"label\":%d}\n", text, i * 5 % 7
  }
}' >long.jsonl
bert-train --task regress --preset tiny --vocab "$MODELS/bare/vocab.txt" --batch-size 6 --epochs 1 --lr 1e-3 --dev long.jsonl --out long long.jsonl >long.log
figures long.log >expected
scored long long.jsonl regress | diff expected - && sed 's/:.*//' expected
