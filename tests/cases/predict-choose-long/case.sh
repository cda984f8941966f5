#!/bin/sh
# Long texts with choices: truncated, split or refused. Each choice is truncated like a single pair.
choose() { bert-predict -m "$MODELS/choose" --precision 3 "$@"; }
cat >long.jsonl <<'END'
{"text":"the old king and the queen said it was a good year for the cat and the dog","choices":["the cat","it was a good year for the queen and a bad one for the king","a dog"]}
END
for overflow in truncate split error; do
  [ $overflow = split ] && length=27 || length=14
  echo "-- $overflow"
  choose --drop text,choices --max-length $length --overlap 2 --overflow $overflow long.jsonl
done
echo '-- each choice is truncated like a single pair'
for text in 'the cat' 'it was a good year for the queen and a bad one for the king' 'a dog'; do
  echo "{\"text\":\"the old king and the queen said it was a good year for the cat and the dog\",\"text_pair\":\"$text\"}"
done | bert-tokenize -m "$MODELS/choose" --max-length 14 --tokens --drop text,text_pair,input_ids,token_type_ids
