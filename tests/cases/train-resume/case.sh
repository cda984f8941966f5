#!/bin/sh
# A stopped run that is resumed ends with the bytes of an uninterrupted one: 20 steps = 10 + 10.
. "$CASE/../lib/resume.sh"
train whole --no-shuffle open.jsonl >whole.jsonl
echo '--- a pipe that ends after 10 steps, then the complete input'
head -n 60 open.jsonl | train parts --no-shuffle | sed 's/,.*/}/'
train parts --no-shuffle --resume -v <open.jsonl 2>said >parts.jsonl
grep -v 'multiplies\|checked' said | sed 's/, .*//'
train pipe --no-shuffle <open.jsonl >pipe.jsonl
same pipe parts
same pipe whole
sed -n '/"step":20/s/,"tokens_per.*//p' pipe.jsonl parts.jsonl whole.jsonl | uniq | wc -l
echo '--- --resume starts a new run; on a finished run it changes nothing'
train begun --no-shuffle --resume open.jsonl >/dev/null
same begun whole
train begun --no-shuffle --resume -q open.jsonl
same begun whole
