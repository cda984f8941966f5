# Tokenizing a record again removes all fields that described its former ids.
model=$MODELS/bare
echo '{"text":"The old king!","text_pair":"a cat"}' >pair
bert-tokenize -m "$model" --tokens --offsets chars --word-ids pair >whole
bert-tokenize -m "$model" --max-length 6 whole
bert-tokenize -m "$model" --max-length 6 --tokens --word-ids whole
echo '-- a pair becomes a single text'
bert-tokenize -m "$model" --pair-field other whole
echo '-- each window has its own fields'
bert-tokenize -m "$model" --max-length 8 --overflow split --overlap 0 --tokens --drop text,text_pair whole
echo '-- the text field may be called tokens'
echo '{"tokens":["old","king"],"input_ids":[2,3],"word_ids":[null,null]}' | bert-tokenize -m "$model" --text-field tokens
echo '-- without input_ids, the fields are kept'
echo '{"text":"a cat","tokens":2,"word_ids":"none","token_type_ids":7}' | bert-tokenize -m "$model"
