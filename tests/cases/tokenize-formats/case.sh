#!/bin/sh
# Lines of ids or tokens, one per record or window.
printf '%s\n' 'the cat' '' 'one two three' >texts
bert-tokenize -m "$MODELS/bare" --format ids texts
bert-tokenize -m "$MODELS/bare" --format tokens texts
bert-tokenize -m "$MODELS/bare" --format tokens --no-special-tokens texts
bert-tokenize -m "$MODELS/bare" --format tokens --max-length 5 --overflow split --overlap 1 texts
