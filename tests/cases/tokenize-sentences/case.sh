#!/bin/sh
# A hard-wrapped book is split into whole sentences, in every input format.
book() { printf '\357\273\277CHAPTER I\r\n\r\nIt was a good\r\nday. The room\r\n\fwas clean! \001\r\n \f\r\nThe end'; }
book >book.txt
sentences() { echo "$*"; bert-tokenize -m "$MODELS/pretraining" --sentences "$@"; }
for form in file paragraphs text documents; do sentences --input-format "$form" book.txt; done
{ book; printf '\n\n\n'; book; } | sentences --input-format documents - book.txt
sentences --input-format file book.txt book.txt
printf '%s\n' '{"id":1,"text":"A day. A\nroom.\n\nThe end","z":[]}' '{"text":" ","sentences":0}' >in.jsonl
sentences in.jsonl
sentences --drop text in.jsonl
printf 'id\ttext\n7\tA day. A room.\n' | sentences --input-format tsv
printf 'Mr. King; a day.' >mr.txt
sentences mr.txt
sentences --locale en-u-ss-standard mr.txt
sentences --locale el mr.txt
printf '{"words":["a"]}\n{"text":"a"}\n' | sentences --on-error skip
sentences /dev/null
