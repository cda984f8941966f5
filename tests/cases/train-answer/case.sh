#!/bin/sh
# Fine-tuning for answers: windows are used, and the dev metrics equal those of bert-predict and bert-score.
# records N EACH: contexts in which the answer is a king or queen and the words after; every EACH-th record
# has no answer (0: all have one). Some contexts are longer than a window, some answers end within a token.
records() {
  awk -v n="$1" -v each="$2" 'BEGIN {
    count = split("the old man took a long way home over river and book", word); split("king queen", person)
    for (i = 0; i < n; ++i) {
      none = each && i % each == 0; place = i * 5 % (4 + i % 3 * 8); last = place + 3 + i * 7 % 20; context = "Ü"
      for (k = 0; k <= last; ++k) {
        if (k == place && !none) {
          answer = person[i % 2 + 1] " is g" (i % 4 ? "ood" : "")
          start = length(context)  # in bytes; the second byte of Ü accounts for the space
          context = context " " answer (i % 4 ? "" : "ood")
        }
        context = context " " word[(i * 3 + k * 7) % count + 1]
      }
      printf "{\"id\":\"q%d\",\"question\":\"who is it\",\"context\":\"%s\",\"answers\":", i, context
      if (none) print "{\"text\":[],\"answer_start\":[]}}"
      else printf "{\"text\":[\"%s\",\"other\"],\"answer_start\":[%d,0]}}\n", answer, start
    }
  }'
}
# squad VERSION <RECORDS: converts the records to the original SQuAD format.
squad() {
  sed 's/"answers":{"text":\[\],.*/"answers":[],"is_impossible":true}]}/
    s/"answers":{"text":\["\([^"]*\)","\([^"]*\)"\],"answer_start":\[\([0-9]*\),0\]}}/"answers":[{"text":"\1","answer_start":\3},{"text":"\2","answer_start":0}],"is_impossible":false}]}/
    s/^{\("id":"[^"]*","question":"[^"]*"\),\("context":"[^"]*"\),/{\2,"qas":[{\1,/' | awk -v version="$1" '
      BEGIN { printf "{\"version\":\"%s\",\"data\":[{\"title\":\"t\",\"paragraphs\":[\n", version }
      NR > 1 { print NR % 5 == 0 ? "]},{\"title\":\"u\",\"paragraphs\":[" : "," } { printf "%s", $0 } END { print "\n]}]}" }'
}
train() { bert-train --task answer -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 --batch-size 10 --max-length 24 --stride 8 "$@"; }
# figures LOG: the last dev metrics, as bert-score prints them.
figures() { sed -n 's/.*"dev_loss":[^,]*,//p' "$1" | tail -n 1 | sed 's/dev_//g; s/}//' | tr , '\n'; }
scored() { bert-predict --stride 8 "$@" | bert-score --task answer | sed 's/"records":[0-9]*,//; s/[{}]//g' | tr , '\n'; }

# same NAME EACH OPTION...: the options apply to training and prediction.
same() {
  name=$1 each=$2
  shift 2
  echo "--- $name"
  records 120 "$each" >train.jsonl
  records 150 "$each" | tail -n 40 >dev.jsonl
  train --epochs 4 "$@" --dev dev.jsonl --out "$name" train.jsonl >"$name.log" || echo "exit $?"
  figures "$name.log" >expected
  scored -m "$name" "$@" dev.jsonl | diff expected - && sed 's/:.*//' expected | tr '\n' ' ' && echo
}
same always 0
awk -F'[:,]' '/"f1"/ { print ($2 > 80 ? "learned" : "not learned") }' expected
bert-predict -m always --drop context,answers dev.jsonl | head -n 2 | sed 's/:-*[0-9][0-9.e-]*/:N/g'
same some 3
same threshold 3 --no-answer-threshold 0.5
same short 3 --max-question-length 1 --max-answer-length 2

echo '--- original SQuAD files give the same model and metrics'
records 120 3 >train.jsonl
records 150 3 | tail -n 40 >dev.jsonl
squad v2.0 <train.jsonl >train.json
squad v2.0 <dev.jsonl >dev.json
train --epochs 4 --input-format squad --dev dev.json --out squad train.json >squad.log
cmp some/model.safetensors squad/model.safetensors && figures some.log >expected && figures squad.log | cmp expected - && echo same
grep -A 1 architectures squad/config.json

echo '--- equal bytes for any number of threads, and for 9 steps = 4 + 5, resumed between two windows of a record'
parts() { train --steps 9 --batch-size 9 --save-every 4 --keep 9 --seed 5 --out "$@" train.jsonl >/dev/null; }
parts whole -j 1
parts four -j 4
cp -R whole stopped
rm -r stopped/model.safetensors stopped/checkpoints/step-00000008 stopped/checkpoints/step-00000009
parts stopped --resume
parts recomputed --recompute
for run in four stopped recomputed; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done
grep -o '"within": *[0-9]*' whole/checkpoints/step-00000004/state.json
parts stopped --resume --stride 9 || echo "exit $?"

echo '--- --best'
train --epochs 2 --batch-size 40 --best best_f1 --dev dev.jsonl --out best train.jsonl | grep -c dev_best_f1
train --steps 1 --best best_f1_threshold --dev dev.jsonl --out other train.jsonl
train --steps 1 --max-question-length 21 --out other train.jsonl
