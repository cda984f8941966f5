#!/bin/sh
# What is wrong with the records of each task is found before the first step.
try() {
  echo "--- $1" >&2
  shift
  bert-train -m "$MODELS/bare" --batch-size 1 --no-shuffle --out out "$@" >log
  echo "exit $?"
  cat log
  rm -rf out
}
# records GOOD BAD...: the good record twice, and the bad ones.
records() {
  for record; do echo "$record"; done | sed '1{p;}' >r.jsonl
}
records '{"text":"a","label":"x"}' '{"text":"b","label":"y"}' '{"label":"x"}' '{"text":"a"}' '{"text":["a",1],"label":"x"}' '{"text":"a","text_pair":7,"label":"x"}' '{"text":"a","label":null}' '{"text":"a","label":"z"}' '{"text":"a","label":"x"'
try classify --task classify r.jsonl
try 'classify, labels given' --task classify --labels x,y r.jsonl
records '{"text":"a","label":["x"]}' '{"text":"b","label":["y","y"]}' '{"text":"b","label":"y"}'
try multilabel --task multilabel r.jsonl
records '{"words":["a","b"],"tags":["O","B-X"]}' '{"words":["a","b"],"tags":["O"]}' '{"words":["a"]}' '{"words":"a","tags":["O"]}' '{"words":["a"],"tags":[1]}'
try tag --task tag r.jsonl
records '{"question":"a","context":"b c","answers":{"text":["c"],"answer_start":[2]}}' '{"question":"a","context":"b c","answers":{"text":["c"],"answer_start":[1]}}' '{"question":"a","context":"b c","answers":{"text":["c"],"answer_start":[20]}}' '{"question":"a","answers":{"text":[],"answer_start":[]}}' '{"question":"a","context":"b c"}'
try answer --task answer r.jsonl
records '{"text":"a","choices":["b","c"],"label":1}' '{"text":"a","choices":["b","c"],"label":2}' '{"text":"a","choices":[],"label":0}' '{"text":"a","label":0}'
try choose --task choose r.jsonl
records '{"text":"a","text_pair":"b"}' '{"text":"a"}' '{"text":"a","text_pair":"b","negatives":"c"}'
try 'embed, pairs' --task embed r.jsonl
records '{"text":"a","text_pair":"b","label":1}' '{"text":"a","text_pair":"b"}' '{"text":"a","text_pair":"b","label":"x"}'
try 'embed, scores' --task embed r.jsonl
records '{"input_ids":[2,5,3]}' '{"input_ids":[2,999999,3]}' '{"input_ids":[]}' '{"text":"a"}'
try pretrain --task pretrain r.jsonl
echo '--- the output, the dev set, the learning rate' >&2
records '{"text":"a","label":1}'
: >file
bert-train -m "$MODELS/bare" --task regress --out file/model r.jsonl
bert-train -m "$MODELS/bare" --task regress --out model --dev none.jsonl r.jsonl
bert-train -m "$MODELS/bare" --task regress --out model --dev file r.jsonl
bert-train -m "$MODELS/bare" --task regress --out model --dev r.jsonl --best f1 r.jsonl
bert-train -m "$MODELS/bare" --task regress --out model --freeze 99 r.jsonl
bert-train -m "$MODELS/bare" --task regress --out model --steps 1 --lr 0 r.jsonl >log
ls
