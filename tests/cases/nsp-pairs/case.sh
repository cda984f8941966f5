#!/bin/sh
# Fields, modes, dropped fields, counts.
cat >in.jsonl <<'END'
{"sentences":[[20,21],[22],[23,24,25],[],[26]],"id":{"a": 1},"text":"goes"}
{"id":"b","sentences":[[30,31],[32,33,34]]}
{"sentences":[]}
{"sentences":[[40,41,42,43,44,45]]}
END
pairs() { echo "bert-nsp-pairs $*" >&2; bert-nsp-pairs -m "$MODELS/pretraining" "$@"; }
pairs --max-length 10 in.jsonl
pairs --max-length 10 --random-next-prob 1 --short-seq-prob 0 in.jsonl
pairs --max-length 8 --random-next-prob 0 --drop token_type_ids,id in.jsonl
pairs --drop input_ids,token_type_ids,next_sentence_label,document,instance,id in.jsonl
pairs --mode sop --max-length 9 in.jsonl
pairs --mode none --max-length 7 in.jsonl
pairs --dupe-factor 2 --max-length 8 --drop token_type_ids in.jsonl
pairs -q in.jsonl | wc -l
pairs </dev/null
