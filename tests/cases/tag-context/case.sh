# --context document: sentences of a document are read together, -DOCSTART- and "document" separate documents.
tag() { bert-predict -m "$MODELS/tag" --keep words,prediction "$@"; }
printf '%s\n' -DOCSTART- '' 'king O' '' 'of O' 'Paris B-LOC' '' '-DOCSTART- O' '' 'Paris B-LOC' >words.conll
tag words.conll
echo '--- in context'
tag --context document words.conll | tee context.jsonl
echo '--- JSONL, from a pipe, with several threads'
bert-predict -m "$MODELS/tag" --keep words words.conll | awk '{ sub(/{/, "{\"document\":" (NR > 2) ","); print }' |
  tee words.jsonl
tag --context document -j 3 <words.jsonl | cmp - context.jsonl
bert-predict -m "$MODELS/tag" --context document words.jsonl | head -n 1 | grep -o '^{"document":0,"words":\["king"\],"prediction"'
echo '--- training reads the same windows'
bert-train --task tag -m "$MODELS/tag" --context document --epochs 2 --lr 0 --batch-size 2 --log-every 1 -o out \
  --dev words.conll words.conll | grep -o '^{"step":[0-9]*,"[a-z_]*"'
bert-train --task tag -m "$MODELS/tag" --epochs 2 --lr 0 --batch-size 2 --resume -o out words.conll
echo "exit $?"
echo '--- refusals'
printf '%s\n' '{"words":["king"]}' '{"document":1,"text":"king"}' '{"document":1.5,"words":["king"]}' |
  tag --context document --on-error skip
echo "exit $?"
echo 'the king' | tag --context document
echo "exit $?"
bert-predict -m "$MODELS/classify" --context document words.conll
echo "exit $?"
bert-train --task classify -m "$MODELS/classify" --context document -o none words.jsonl
echo "exit $?"
