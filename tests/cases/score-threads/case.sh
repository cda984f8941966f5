#!/bin/sh
# Equal bytes for any number of threads and any split of the input, and for any order of predictions if sums
# are exact.
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "{\"id\":%d,\"answers\":{\"text\":[\"w%d w%d x y\"]}}\n", i, i % 7, i % 5 }' >gold.jsonl
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "{\"id\":%d,\"prediction\":\"w%d w%d z\"}\n", i, i % 5, i % 3 }' >predictions.jsonl
tac predictions.jsonl >backwards.jsonl
head -n 12345 predictions.jsonl >first.jsonl
tail -n +12346 predictions.jsonl >second.jsonl
for j in 1 2 5; do bert-score --task answer --gold gold.jsonl -j $j predictions.jsonl; done
bert-score --task answer --gold gold.jsonl backwards.jsonl
bert-score --task answer --gold gold.jsonl second.jsonl first.jsonl
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "{\"label\":%g,\"prediction\":%g}\n", (i * 7919) % 101 / 7, (i * 104729) % 97 / 3 }' >numbers.jsonl
for j in 1 2 5; do bert-score --task regress -j $j numbers.jsonl; done
