#!/bin/sh
# Fine-tuning for sentences: the dev metrics during training equal those of bert-predict and bert-score.
. "$CASE/../lib/sentences.sh"
# same TASK FORM OPTION...
same() {
  task=$1 form=$2
  shift 2
  records 90 "$form" >train.jsonl
  records 40 "$form" | tail -n 25 >dev.jsonl
  echo "--- $task"
  train --task "$task" --batch-size 10 "$@" --dev dev.jsonl --out "$task" train.jsonl >"$task.log" || echo "exit $?"
  sed -n 's/,.*//p' "$task.log"
  figures "$task.log" >expected
  scored "$task" dev.jsonl "$task" | diff expected - && sed 's/:.*//' expected
  bert-predict -m "$task" dev.jsonl | head -n 1 | sed 's/:-*[0-9][0-9.e-]*/:N/g'
}
same classify class
same regress number
same multilabel set --threshold 0.4
sed -n 's/,"dev_loss.*"dev_accuracy"/ "dev_accuracy"/p' classify.log | sed 's/,"dev_f1.*//'
