# A file name cannot insert newlines or terminal escape codes into a message.
name=$(printf 'a\nb\033[31m')
printf '\377\n' >"$name"
bert-tokenize -m "$MODELS/bare" "$name"
bert-tokenize -m "$MODELS/bare" "$name" --on-error skip
bert-tokenize -m "$MODELS/bare" "$name.not"
