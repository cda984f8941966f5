#!/bin/sh
# A training log that cannot be written is an error.
golden=$MODELS/../training
bert-train --task pretrain -m "$golden/narrow" --steps 1 --out full "$golden/records.jsonl" >/dev/full
echo "exit $?"
bert-train --task pretrain -m "$golden/narrow" --steps 1 --out closed "$golden/records.jsonl" >&-
echo "exit $?"
