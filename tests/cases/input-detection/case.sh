# The contents of a FILE say what it is: CoNLL, SQuAD's JSON, tables whose header names the text.
printf -- '-DOCSTART- -X- O\n\nthe DT O\nking NN B-PER\n\nold JJ O\n' >words.txt
cat words.txt >words
printf '{"version":"1.1","data":[{"title":"t","paragraphs":[{"context":"the old king said","qas":[{"id":"q","question":"the king"}]}]}]}' >squad.json
tag() { bert-predict -m "$MODELS/tag" --keep words "$@"; }
echo '--- CoNLL'
tag words.txt
tag <words
bert-embed -m "$MODELS/bare" --keep words words
echo '--- text stays text'
printf 'the king\nold O\n' | bert-predict -m "$MODELS/tag" --keep text
echo '--- SQuAD'
bert-predict -m "$MODELS/answer" --keep id,question squad.json
echo '--- tables; --columns implies tsv'
printf 'label\ttext\na\tthe king\n' | bert-tokenize -m "$MODELS/pretraining" --keep text,label
printf 'the king\ta\n' | bert-tokenize -m "$MODELS/pretraining" --columns text,label --keep text,label
printf 'the, text\n' | bert-tokenize -m "$MODELS/pretraining" --keep text
echo '--- --input-format file: records name their FILE'
bert-tokenize -m "$MODELS/pretraining" --input-format file --keep file words
echo '--- lists that look like CoNLL'
printf 'Plan B-12\nGroup I-A\nBlood O\n' >list.txt
for input in list.txt -; do bert-embed -m "$MODELS/bare" --keep text "$input" <list.txt; done
printf 'the O\nking B-PER\n' | bert-embed -m "$MODELS/bare" --keep words
echo '--- a table of one column'
printf 'Review\nnice\n' | bert-embed -m "$MODELS/bare" --text-field Review
