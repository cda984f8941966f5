# A pair field that is null counts as absent in all tools that read pairs; any other null is an error.
echo '{"text":"the cat","text_pair":null}' >null.jsonl
echo '{"text":"the cat"}' >none.jsonl
same() {
  "$@" --drop text_pair null.jsonl >of-null 2>notes
  "$@" none.jsonl | cmp - of-null && cat of-null
}
same bert-tokenize -m "$MODELS/bare"
same bert-embed -m "$MODELS/bare" --dim 2 --precision 3
same bert-predict -m "$MODELS/classify" --precision 3
bert-vocab --size 20 null.jsonl >of-null 2>notes
bert-vocab --size 20 none.jsonl 2>notes | cmp - of-null && echo the same vocabulary
bert-predict -m "$MODELS/next" null.jsonl
echo '{"text":"the cat","question":null,"choices":["is old"]}' | bert-predict -m "$MODELS/choose"
echo '{"text":null}' | bert-tokenize -m "$MODELS/bare"
echo '{"text":null,"text_pair":null}' | bert-embed -m "$MODELS/bare"
echo '{"text":"a","text_pair":1}' | bert-embed -m "$MODELS/bare"
