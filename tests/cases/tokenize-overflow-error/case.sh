#!/bin/sh
# Records that are too long are rejected by name; with --on-error skip the others are written.
printf '%s\n' 'a b' 'a b c d' 'b' >texts
bert-tokenize -m "$MODELS/bare" --max-length 4 --overflow error --on-error skip texts
bert-tokenize -m "$MODELS/bare" --max-length 4 --overflow error texts
