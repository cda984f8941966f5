#!/bin/sh
# --format text: aligned and rounded, for each task.
score() { bert-score --format text "$@"; echo "exit $?"; }
printf '{"label":"%s","prediction":"%s"}\n' good good bad good bad bad naïve bad >labels.jsonl
score --task classify labels.jsonl
score --task classify --metric accuracy --precision 2 labels.jsonl
score --task classify -o out labels.jsonl && cat out
printf '{"label":%s,"prediction":1}\n' 1 2 | score --task regress
printf '{"label":%s,"prediction":%s}\n' '["x","y"]' '["x"]' | score --task multilabel
printf 'Ada B-PER B-PER\nin O O\n' | score --task tag --input-format conll
score --task classify </dev/null
