#!/bin/sh
# A single label, values that are not labels, and labels in --dev that no training record has, are reported.
. "$CASE/../lib/labels.sh"
echo '--- a single label, or a value that is not a label'
records '"a"' '"a"' >one.jsonl
classify one.jsonl
records '"a"' null '"b"' >null.jsonl
classify null.jsonl
records 1.5 2 >real.jsonl
classify real.jsonl
echo '{"text":"a"}' >none.jsonl
classify none.jsonl
classify --on-error skip --labels a,b none.jsonl
cat r.jsonl null.jsonl | classify --labels a,b,c --on-error skip
echo '--- in --dev'
records '"z"' >dev.jsonl
classify --dev dev.jsonl r.jsonl
echo '--- regress and multilabel'
rm -rf out
printf '{"text":"a","label":"1.5"}\n{"text":"b","label":"much"}\n' >r.jsonl
train --task regress --out out r.jsonl
printf '{"text":"a","label":1e300}\n' >r.jsonl
train --task regress --out out r.jsonl
train --task regress --labels a,b --out out r.jsonl
printf '{"text":"a","label":["x","x"]}\n' >r.jsonl
train --task multilabel --out out r.jsonl
printf '{"text":"a","label":"x"}\n' >r.jsonl
train --task multilabel --out out r.jsonl
ls
