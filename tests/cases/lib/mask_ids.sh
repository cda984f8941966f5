# Makes ids.jsonl, 20000 sequences of 7 to 46 tokens, and functions that mask records and compare the results.
awk 'BEGIN {
  for (i = 0; i < 20000; i++) {
    printf "{\"input_ids\":[2"
    for (j = 0; j < 5 + i % 40; j++) printf ",%d", 20 + (i * 7 + j * 13) % 200
    print ",3]}"
  }
}' >ids.jsonl
mask() { bert-mask -m "$MODELS/bare" "$@"; }
# same FILE NAME: prints whether FILE equals the file whole.
same() { cmp -s whole "$1" && echo "$2: same" || echo "$2: another"; }
