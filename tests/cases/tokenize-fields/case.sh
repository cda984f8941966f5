#!/bin/sh
# Every field that can be added, in documented order; offsets in code points and in bytes, with accents, CJK
# and split words.
printf '%s\n' 'The CAT sang.' 'Só — “cats”' '北京 x' >texts
for offsets in chars bytes; do
  bert-tokenize -m "$MODELS/bare" --tokens --word-ids --offsets $offsets texts
done
bert-tokenize -m "$MODELS/bare" --no-special-tokens --tokens --offsets chars --word-ids --drop text,input_ids texts
