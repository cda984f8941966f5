#!/bin/sh
# Decoding: special tokens are skipped, subword tokens joined, the text field replaced or added. Also lines of
# ids, and TSV.
printf '%s\n' "The cats don't sing, [MASK]!" '' '☃' |
  bert-tokenize -m "$MODELS/bare" | bert-tokenize -m "$MODELS/bare" --decode
printf '{"input_ids":[2,92,204,3],"id":7}\n' | bert-tokenize -m "$MODELS/bare" --decode --text-field t
echo 'the cat' | bert-tokenize -m "$MODELS/bare" --format ids | bert-tokenize -m "$MODELS/bare" --decode
printf 'input_ids\tn\n92 204\t1\n' | bert-tokenize -m "$MODELS/bare" --decode --input-format tsv
printf '{"input_ids":[2,245]}\n{"input_ids":[-1]}\n{"input_ids":["2"]}\n{"text":"a"}\n' |
  bert-tokenize -m "$MODELS/bare" --decode --on-error skip
printf '92 x\n' | bert-tokenize -m "$MODELS/bare" --decode
