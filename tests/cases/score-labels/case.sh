#!/bin/sh
# Precision, recall and support: of the positive label, and of each.
score() { bert-score --task classify --precision 4 "$@"; echo "exit $?"; }
printf '{"label":%s,"prediction":"%s"}\n' 1 1 '"1"' 0 0 1 1 1 >two.jsonl
score two.jsonl
score --metric precision,recall two.jsonl
score --metric recall --positive 0 two.jsonl
score --metric labels two.jsonl
score --metric labels --format csv two.jsonl
(cat two.jsonl; echo '{"label":10,"prediction":9}') >four.jsonl
score --metric macro_f1,labels four.jsonl
score --metric precision four.jsonl
score --metric precision --positive 9 four.jsonl
printf '{"label":%s,"prediction":%s}\n' '["x","y"]' '["x"]' '[]' '["z"]' | bert-score --task multilabel --metric labels
echo "names of metrics"
for name in precison acc f1_macro support glue/sst-2 xyz glue/cola,accuracy; do score --metric $name two.jsonl; done
bert-score --metric glue/sst-2 two.jsonl
