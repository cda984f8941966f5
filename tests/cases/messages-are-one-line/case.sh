# A file's name cannot break a line or send codes to the terminal.
name=$(printf 'a\nb\033[31m')
printf '\377\n' >"$name"
bert-tokenize -m "$MODELS/bare" "$name"
bert-tokenize -m "$MODELS/bare" "$name" --on-error skip
bert-tokenize -m "$MODELS/bare" "$name.not"
