# Counts are written with the vocabulary, can be merged with sort, and replace text as input.
printf '%s\n' 'the cat and the hat' 'the mat' 'a cat sat' >text
bert-vocab --size 40 --counts all.tsv -o vocab.txt text
cat all.tsv
head -n 1 text | bert-vocab --size 0 --counts one.tsv -
tail -n +2 text | bert-vocab --size 0 --counts two.tsv -
LC_ALL=C sort one.tsv two.tsv | bert-vocab --size 40 --counts - | cmp - vocab.txt && echo merged
bert-vocab --size 40 --counts all.tsv | cmp - vocab.txt && echo same
# Words of a counts file are split again, so counts made by other software can be used.
printf 'The-Cat\t2\ncat\t4611686018427387\n' >odd.tsv
bert-vocab --size 0 --counts - -o none.txt odd.tsv --input-format tsv --columns text,n
bert-vocab --size 20 --counts odd.tsv
printf '{"text":"one two","text_pair":"two"}\n{"words":["two","three"]}\n{"text":["four","two"]}\n' |
  bert-vocab --size 0 --counts - -o /dev/null -
echo 'a a a b b c d e' | bert-vocab --size 0 --max-words 4 --counts - -o /dev/null -
