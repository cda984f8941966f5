#!/bin/sh
# Too long: refused by name, and the others come out with --on-error skip.
printf '%s\n' 'a b' 'a b c d' 'b' >texts
bert-tokenize -m "$MODELS/bare" --max-length 4 --overflow error --on-error skip texts
bert-tokenize -m "$MODELS/bare" --max-length 4 --overflow error texts
