# CoNLL input: -DOCSTART- lines are not records, comments are not words.
printf -- '-DOCSTART- -X- O\n\n# sent_id = 1\nof O\nParis B-LOC\n-DOCSTART- -X- O\nking O\n\n-DOCSTART-\r\n\nParis B-LOC' >words.conll
bert-predict -m "$MODELS/tag" --keep words,tags,prediction words.conll | tee predicted.jsonl
bert-score --task tag predicted.jsonl | grep -o '"records":[0-9]*,"words":[0-9]*'
printf -- '-DOCSTART- -X- O\n\n' | bert-predict -m "$MODELS/tag" --input-format conll
echo "exit $?"
