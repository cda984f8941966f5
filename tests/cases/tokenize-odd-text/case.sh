#!/bin/sh
# CRLF, BOM, empty lines, NUL, form feed, invalid UTF-8, no final newline, empty input.
printf '\357\273\277the cat\r\n\r\na\0b\fc\n\357\273\277\ncaf\351 x\nend' >odd
bert-tokenize -m "$MODELS/bare" --tokens --offsets chars odd
echo "exit $?"
bert-tokenize -m "$MODELS/bare" --tokens --offsets chars --invalid-utf8 replace odd | tail -n 2
bert-tokenize -m "$MODELS/bare" --format ids --on-error skip odd
bert-tokenize -m "$MODELS/bare" </dev/null && echo nothing
printf '{"text":"a\\u0000b"}' | bert-tokenize -m "$MODELS/bare" --offsets bytes
