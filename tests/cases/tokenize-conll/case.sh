# Words in columns: a record for each sentence, whose word ids refer to its words.
printf '%s\n' '-DOCSTART- O' '' 'The DT O' 'marvellous JJ O' 'King NNP B-PER' '' 'Paris NNP B-LOC' >words.conll
bert-tokenize -m "$MODELS/tag" --word-ids words.conll
echo '--- detected in a pipe, or by name'
bert-tokenize -m "$MODELS/tag" --format ids <words.conll
printf 'king\n\nthe queen\n' | sed 's/ /\n/' | bert-tokenize -m "$MODELS/tag" --input-format conll --tokens
