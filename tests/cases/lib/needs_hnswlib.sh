# Skips the section if bert-search was built without hnswlib and says so.
echo '{"embedding":[1]}' >one.jsonl
bert-search --index one.jsonl --graph one.graph one.jsonl 2>&1 | grep -q 'install libhnswlib-dev' && exit 77
rm -f one.jsonl one.graph
