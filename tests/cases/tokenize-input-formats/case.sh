#!/bin/sh
# Input formats; auto uses the suffix, then the first byte.
printf 'id\ttext\ttext_pair\n1\tthe cat\tthe dog\n' >table.tsv
printf 'the cat\nsang\n\n\n{a dog}\n' >story.txt
printf '{"text":"the cat"}\n' >records
bert-tokenize -m "$MODELS/bare" table.tsv story.txt records
echo '--- columns'
printf '1\tthe cat\n' | bert-tokenize -m "$MODELS/bare" --input-format tsv --columns id,text
echo '--- paragraphs'
bert-tokenize -m "$MODELS/bare" --input-format paragraphs story.txt
echo '--- file'
bert-tokenize -m "$MODELS/bare" --input-format file story.txt
echo '--- text'
bert-tokenize -m "$MODELS/bare" --input-format text records
echo '--- stdin among files'
echo dog | bert-tokenize -m "$MODELS/bare" records - story.txt --format ids
