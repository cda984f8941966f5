# Shards with --first-record give the lines of the whole run.
printf 'king\nqueen\nold\n' >texts
google() { bert-embed -m "$MODELS/half" --format google --layers -1 "$@"; }
google texts >whole
(head -n 1 texts | google; tail -n +2 texts | google --first-record 1) | cmp - whole && cut -c 1-17 whole
