#!/bin/sh
# One object for all records: exact counts, also with several threads and with bad records skipped.
cat >records.jsonl <<'END'
{"text":"the cat ☃"}
{"text":"a b","text_pair":"né"}
{"text":3}
{"words":["the","cat"]}
{"text":""}
END
for threads in 1 3; do
  bert-tokenize -m "$MODELS/bare" -j $threads --stats --max-length 5 --on-error skip records.jsonl 2>/dev/null
done
bert-tokenize -m "$MODELS/bare" --stats --no-special-tokens </dev/null
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "a "; print "" }' | bert-tokenize -m "$MODELS/bare" --stats
bert-tokenize -m "$MODELS/bare" --stats records.jsonl
