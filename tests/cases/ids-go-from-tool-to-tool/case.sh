printf 'a good day\nthe man was good\n' >in.txt
bert-embed -m "$MODELS/bare" in.txt --drop text >direct
bert-tokenize -m "$MODELS/bare" in.txt --drop text | bert-embed -m "$MODELS/bare" --drop input_ids >piped
cmp direct piped && wc -l <piped
