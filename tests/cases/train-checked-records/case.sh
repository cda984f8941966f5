#!/bin/sh
# All bad records are listed before the first step, in order of their lines: nothing is trained and nothing written.
train() { bert-train -m "$MODELS/bare" --batch-size 8 --save-every 5 --out out "$@" >log; echo "exit $?"; cat log; rm -rf out; }
good() { for _ in $(seq "$1"); do echo '{"text":"good","label":1}'; done; }
echo '--- the last of 400' >&2
{ good 400; echo '{"text":"x","label":"high"}'; } >d.jsonl
train --task regress d.jsonl
echo '--- many' >&2
{ good 3; for _ in $(seq 24); do echo '{"text":"x","label":"high"}'; echo '{"text":2,"label":1}'; good 1; done; } >many.jsonl
train --task regress many.jsonl
echo '--- in two FILEs' >&2
train --task regress d.jsonl many.jsonl 2>&1 | head -n 2
echo '--- left out' >&2
train --task regress --epochs 1 --on-error skip many.jsonl | sed 's/,.*/}/'
echo '--- in the dev set' >&2
good 3 >good.jsonl
train --task regress --dev many.jsonl good.jsonl
echo '--- all' >&2
sed 's/text/texts/' d.jsonl >all.jsonl
train --task regress all.jsonl
printf 'The king\nThe queen\n' >texts.txt
train --task pretrain texts.txt
echo '--- in the shuffle buffer of a pipe, and behind it' >&2
cat d.jsonl | train --task regress --steps 100
cat d.jsonl | train --task regress --steps 100 --shuffle-buffer 390 --log-every 1 | sed 's/,.*/}/' | head -n 2
echo '--- counted' >&2
bert-train -m "$MODELS/bare" --task regress --steps 1 --out v -v good.jsonl 2>&1 >log | sed -n 's/ in [0-9.]* s/ in N s/; /checked/p' >&2
