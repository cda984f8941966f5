# Makes gold.jsonl and predictions.jsonl, joined by id, and a function try.
try() { bert-score --task classify --metric accuracy "$@"; }
printf '{"id":%s,"label":"%s"}\n' 1 a '"two"' b 3 a >gold.jsonl
printf '{"id":%s,"prediction":"%s"}\n' 3 a '"1"' b '"two"' b >predictions.jsonl
