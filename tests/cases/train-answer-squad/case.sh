#!/bin/sh
# Original SQuAD files give the same model and dev metrics as records.
. "$CASE/../lib/answers.sh"
# squad VERSION <RECORDS: converts the records to the original SQuAD format.
squad() {
  sed 's/"answers":{"text":\[\],.*/"answers":[],"is_impossible":true}]}/
    s/"answers":{"text":\["\([^"]*\)","\([^"]*\)"\],"answer_start":\[\([0-9]*\),0\]}}/"answers":[{"text":"\1","answer_start":\3},{"text":"\2","answer_start":0}],"is_impossible":false}]}/
    s/^{\("id":"[^"]*","question":"[^"]*"\),\("context":"[^"]*"\),/{\2,"qas":[{\1,/' | awk -v version="$1" '
      BEGIN { printf "{\"version\":\"%s\",\"data\":[{\"title\":\"t\",\"paragraphs\":[\n", version }
      NR > 1 { print NR % 5 == 0 ? "]},{\"title\":\"u\",\"paragraphs\":[" : "," } { printf "%s", $0 } END { print "\n]}]}" }'
}
same some 3
squad v2.0 <train.jsonl >train.json
squad v2.0 <dev.jsonl >dev.json
train --epochs 4 --input-format squad --dev dev.json --out squad train.json >squad.log
cmp some/model.safetensors squad/model.safetensors && figures some.log >expected && figures squad.log | cmp expected - && echo same
grep -A 1 architectures squad/config.json
