#!/bin/sh
# Which labels a model learns: those of the records, the given ones, or the model's own.
train() { bert-train -m "$MODELS/bare" --batch-size 4 --steps 1 --lr 1e-3 "$@" >/dev/null; }
classify() { rm -rf out; train --task classify --out out "$@"; [ $? = 0 ] && sed -n '/id2label/,/}/p' out/config.json | tr -d ' \n' && echo; }
# records LABEL...: one record for each.
records() { for label in "$@"; do printf '{"text":"a good day","label":%s}\n' "$label"; done; }
echo '--- labels in byte order; integers by value'
records '"c"' '"a"' '"b"' '"a"' >r.jsonl
classify r.jsonl
records 10 '"9"' 2 >numbers.jsonl
classify numbers.jsonl
echo '--- --labels, also with labels that no record has'
classify --labels c,b,x,a r.jsonl
classify --labels c,b r.jsonl
records '"c"' '"a"' | classify --labels a,c
echo '--- from a pipe'
records '"c"' '"a"' | classify
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
echo '--- --class-weights'
classify --class-weights balanced r.jsonl
classify --class-weights a=2,c=0.5 r.jsonl
for weights in balanced a=0.6666667,b=1.3333334,c=1.3333334 a=1,b=1,c=1; do
  train --task classify --class-weights $weights --dropout 0 --out "$weights" r.jsonl
done
cmp balanced/model.safetensors a=0.6666667,b=1.3333334,c=1.3333334/model.safetensors && echo 'balanced is 4/(3*2) and 4/(3*1)'
cmp -s balanced/model.safetensors a=1,b=1,c=1/model.safetensors || echo 'and not 1'
rm -r balanced a=*
classify --class-weights z=2 r.jsonl
classify --class-weights a r.jsonl
records '"c"' '"a"' | classify --labels a,c --class-weights balanced
echo '--- training continues with the labels of the model, or starts with new ones'
rm -rf first
train --task classify --out first r.jsonl
on() { bert-train -m first --task classify --batch-size 4 --steps 1 --lr 0 --dropout 0 --out second "$@" >/dev/null && cmp first/model.safetensors second/model.safetensors && echo 'the same model'; rm -rf second; }
records '"b"' '"a"' >fewer.jsonl
on fewer.jsonl
on <fewer.jsonl
records '"b"' '"new"' >more.jsonl
on more.jsonl 2>&1 | sed 's/, line.*//; s/byte.*/byte N/; s/char.*/byte N/'
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
