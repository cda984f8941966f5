# CoNLL input: -DOCSTART- lines are not records, comments are not words.
printf -- '-DOCSTART- -X- O\n\n# sent_id = 1\nof O\nParis B-LOC\n-DOCSTART- -X- O\nking O\n\n-DOCSTART-\r\n\nParis B-LOC' >words.conll
bert-predict -m "$MODELS/tag" --keep words,tags,prediction words.conll | tee predicted.jsonl
bert-score --task tag predicted.jsonl | grep -o '"records":[0-9]*,"words":[0-9]*'
printf -- '-DOCSTART- -X- O\n\n' | bert-predict -m "$MODELS/tag" --input-format conll
echo "exit $?"
echo "CoNLL output: word, gold tag, predicted tag"
bert-predict -m "$MODELS/tag" --format conll words.conll | tee predicted.conll
bert-score --task tag --input-format conll predicted.conll >one && bert-score --task tag predicted.jsonl | cmp - one
echo 'Paris, of the king' | bert-predict -m "$MODELS/tag" --format conll
printf '{"words":["a b"]}\n{"words":["of",""]}\n{"words":[]}\n{"words":["of"],"tags":["O","O"]}\n{"words":["of"]}\n' |
  bert-predict -m "$MODELS/tag" --format conll --on-error skip
echo x | bert-predict -m "$MODELS/pretraining" --format conll
echo x | bert-predict -m "$MODELS/tag" --format conll --keep words
