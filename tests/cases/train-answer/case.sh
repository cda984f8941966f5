#!/bin/sh
# Fine-tuning for answers: windows are used, and the dev metrics equal those of bert-predict and bert-score.
. "$CASE/../lib/answers.sh"
same always 0
awk -F'[:,]' '/"f1"/ { print ($2 > 80 ? "learned" : "not learned") }' expected
bert-predict -m always --drop context,answers dev.jsonl | head -n 2 | sed 's/:-*[0-9][0-9.e-]*/:N/g'
same threshold 3 --no-answer-threshold 0.5
same short 3 --max-question-length 1 --max-answer-length 2
