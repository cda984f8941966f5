#!/bin/sh
# Long records are truncated and counted. Pairs lose tokens from the end, the longer part first; an odd token
# goes to the longer part, or to the second if both are equal (Hugging Face), or always to the first (Google).
cat >pairs.jsonl <<'END'
{"text":"a b c d e f","text_pair":"g h"}
{"text":"a b","text_pair":"g h i j k l"}
{"text":"a b c d e f","text_pair":"g h i j k l"}
{"text":"a b c d e f g","text_pair":"g h i j k l"}
{"text":"a b","text_pair":"c d"}
{"text":"a b c d e f g h i"}
END
bert-tokenize -m "$MODELS/bare" --max-length 8 --tokens --drop text,text_pair,input_ids pairs.jsonl
echo '--- google'
bert-tokenize -m "$MODELS/bare" --max-length 8 --compat google --format tokens pairs.jsonl
echo '--- without special tokens, quiet'
bert-tokenize -q -m "$MODELS/bare" --max-length 5 --no-special-tokens --format tokens pairs.jsonl
