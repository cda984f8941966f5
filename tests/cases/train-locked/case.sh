#!/bin/sh
# While a process trains in a directory, no other process can.
golden=$MODELS/../training
mkfifo pipe
bert-train --task pretrain -m "$golden/narrow" --steps 1 --batch-size 1 --out taken - <pipe >/dev/null &
exec 3>pipe
until [ -d taken/checkpoints ]; do sleep 0.01; done
sleep 0.1
bert-train --task pretrain -m "$golden/narrow" --steps 1 --out taken "$golden/records.jsonl"
head -n 1 "$golden/records.jsonl" >&3
exec 3>&-
wait $!
echo "exit $?"
