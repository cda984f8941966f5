#!/bin/sh
# bert-tokenize on records that Hugging Face's tokenizers 0.23.2 and Google's tokenization.py tokenized.
# Fields keep their place, so if ids, types and offsets are emptied first, each record must be restored byte
# for byte.
# Usage: tokenize.sh TOOLS_DIRECTORY SHARED
set -u
PATH=$1:$PATH
shared=${BERT_SHARED:-$2}
[ -d "$shared" ] || { echo "skipped: ../shared is absent"; exit 0; }
command -v xz >/dev/null || { echo "skipped: xz is absent"; exit 0; }
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
failed=0

# same NAME EXPECTED GOT
same() {
  cmp "$2" "$3" && echo "$1: $(wc -l <"$2") records, none differs" && [ -s "$2" ] && return
  echo "FAILED: $1"
  failed=1
}

for name in uncased cased multilingual-cased chinese; do
  xz -dc "$shared/golden/tokenizer/$name.jsonl.xz" >"$directory/expected"
  # Token types are added to pairs only; the golden file also lists those of single texts.
  sed 's/"input_ids":\[[0-9,]*\]/"input_ids":[]/; s/"offsets":[][0-9,]*/"offsets":[]/
    /"text_pair":/s/"token_type_ids":\[[01,]*\]/"token_type_ids":[]/' "$directory/expected" >"$directory/emptied"
  bert-tokenize -m "$shared/data/vocab/bert-base-$name" --offsets chars "$directory/emptied" --input-format jsonl >"$directory/got"
  same $name "$directory/expected" "$directory/got"
done

for name in uncased cased; do
  xz -dc "$shared/golden/tokenizer/google-$name.jsonl.xz" >"$directory/golden"
  sed 's/.*"input_ids": \[\(.*\)\]}$/\1/; s/,//g' "$directory/golden" >"$directory/expected"
  bert-tokenize -m "$shared/data/vocab/bert-base-$name" --compat google --format ids --input-format jsonl \
    "$directory/golden" >"$directory/got"
  same google-$name "$directory/expected" "$directory/got"
done
exit $failed
