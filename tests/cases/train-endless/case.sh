#!/bin/sh
# Endless input: --steps ends the run, and the producer ends by SIGPIPE.
golden=$MODELS/../training
# Endless numbered records, so that bert-train masks each one differently.
endless() { awk 'BEGIN { for (;;) printf "{\"input_ids\":[2,20,21,22,23,24,25,26,27,28,29,3],\"document\":%d,\"instance\":0}\n", n++ }'; }
endless 2>/dev/null | bert-train --task pretrain -m "$golden/narrow" --steps 20 --batch-size 8 --out a --shuffle-buffer 100 >log
echo "exit $?"
sed 's/,.*/}/' log
endless 2>/dev/null | bert-train --task pretrain -m "$golden/narrow" --steps 20 --batch-size 8 --out b --shuffle-buffer 100 >/dev/null
cmp a/model.safetensors b/model.safetensors && echo same
endless 2>/dev/null | bert-train --task pretrain -m "$golden/narrow" --steps 20 --batch-size 8 --out c --shuffle-buffer 50 >/dev/null
cmp -s a/model.safetensors c/model.safetensors || echo other
echo '--- --budget: the learning rate decays to 0'
endless 2>/dev/null | bert-train --task pretrain -m "$golden/narrow" --budget 1s --batch-size 8 --out d --lr 1 --warmup 0 --clip 1e-9 --log-every 1 >log
echo "exit $?"
awk -F '[:,]' '{ for (i = 1; i < NF; i++) if ($i == "\"lr\"") rate = $(i + 1); if (rate > last && NR > 1) print "rises"; last = rate; if (NR == 1) first = rate }
  END { print (first > 0.9 && last < 0.1) ? "from the highest to nothing" : "from " first " to " last }' log
echo '--- decay, and warmup as a share, need the length of the run'
mkfifo pipe
endless 2>/dev/null >pipe & bert-train --task pretrain -m "$golden/narrow" --out e pipe
endless 2>/dev/null >pipe & bert-train --task pretrain -m "$golden/narrow" --out e --schedule constant --warmup 0.1 pipe
head -n 20 "$golden/records.jsonl" | bert-train --task pretrain -m "$golden/narrow" --out f --schedule constant --log-every 1 --batch-size 10 | sed 's/.*"lr"/"lr"/; s/,.*//'
