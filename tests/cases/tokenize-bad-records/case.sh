#!/bin/sh
# Each bad record is reported with its line; stop writes the records before it, skip continues and counts.
printf '\357\273\277{"text":"a"}\n\n{"text":3}\n{"text":"b","text":"c"}\n{"x":1}\n[1]\n{"text":"a"\n{"text":"a","text_pair":["x"]}\n{"words":["a",null]}\n{"words":"a"}\n{"text":null}\n{"text":"\\ud800"}\n{"text":"a\377"}\n{"text":"d"}' >bad.jsonl
bert-tokenize -m "$MODELS/bare" --on-error skip bad.jsonl
echo "exit $?"
bert-tokenize -m "$MODELS/bare" -o out bad.jsonl
echo "exit $?"
ls
bert-tokenize -m "$MODELS/bare" bad.jsonl
echo "exit $?"
printf 'id\ttext\n1\ta\n2\n3\tb\tc\n' | bert-tokenize -m "$MODELS/bare" --input-format tsv --on-error skip
echo '[{"text":"a"}]' | bert-tokenize -m "$MODELS/bare"
echo '{not JSON}' | bert-tokenize -m "$MODELS/bare"
