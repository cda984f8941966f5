#!/bin/sh
# The input_ids of choices equal those of their texts and are truncated like them.
choose() { bert-predict -m "$MODELS/choose" --precision 3 "$@"; }
cat >texts.jsonl <<'END'
{"text":"the man took the book","text_pair":"and read it"}
{"text":"the man took the book","text_pair":"home"}
END
bert-tokenize -m "$MODELS/choose" texts.jsonl >tokens
all() { sed "s/.*\"$1\":\(\[[^]]*\]\).*/\1/" tokens | paste -sd, -; }
fields="\"input_ids\":[$(all input_ids)],\"token_type_ids\":[$(all token_type_ids)]"
echo "{$fields}" | tee ids.jsonl
choose --drop input_ids,token_type_ids ids.jsonl
choose --drop input_ids,token_type_ids --max-length 8 ids.jsonl
echo '{"text":"the man took the book","choices":["and read it","home"]}' >own.jsonl
choose --drop text,choices own.jsonl
choose --drop text,choices --max-length 8 own.jsonl
echo "{$fields,\"text\":\"a text\",\"choices\":[\"one\",\"two\",\"three\"]}" |
  choose --text-field text --drop input_ids,token_type_ids
