#!/bin/sh
# A signal stops the tool while it waits for a pipe, and nothing is left.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
mkfifo pipe
bert-train --task pretrain -m "$golden/narrow" --steps 5 --batch-size 2 --out waits - <pipe &
exec 3>pipe
head -n 7 open.jsonl >&3
sleep 0.3
kill -s TERM $!
wait $! 2>/dev/null
echo "exit $?"
exec 3>&-
[ -e waits ] || echo 'nothing is left'
