#!/bin/sh
# Case from files and from flags; a vocabulary given by path; special tokens in the text under --compat.
cat >texts <<'END'
The CAT né [MASK] cat
END
bert-tokenize -m "$MODELS/bare" --format tokens texts
bert-tokenize --vocab "$MODELS/bare/vocab.txt" --cased --format tokens texts
bert-tokenize -m "$MODELS/bare" --uncased --compat google --format tokens texts
cp "$MODELS/bare/vocab.txt" . && echo '{"do_lower_case":false}' >tokenizer_config.json
bert-tokenize -m . --format tokens texts
bert-tokenize --vocab vocab.txt --uncased --format tokens texts
BERT_MODEL=$MODELS/bare bert-tokenize --format tokens texts
BERT_MODEL=/nonexistent bert-tokenize --vocab vocab.txt --format tokens texts
