# A model whose vectors are made for another similarity than the cosine, and are not of unit length: a note.
bert-embed -m "$MODELS/sentence-prompt" >index.jsonl <<'END'
the old king
a queen
END
search() { echo king | bert-search -m "$1" --index "$2" -k 1 --drop text --precision 1 $3; }
search "$MODELS/sentence-prompt" index.jsonl ''
search "$MODELS/sentence-prompt" index.jsonl '--metric dot'
search "$MODELS/sentence-prompt" index.jsonl '--metric cosine'
echo king | bert-embed -m "$MODELS/sentence-new" >unit.jsonl
search "$MODELS/sentence-new" unit.jsonl ''
