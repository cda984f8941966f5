# The vocabularies of both criteria, and the files of -o DIR/.
text='low low low low low lower lower newest newest newest newest newest newest widest widest widest!'
echo "$text" | bert-vocab --size 34 | tr '\n' ' '; echo
echo "$text" | bert-vocab --size 34 --criterion frequency | tr '\n' ' '; echo
echo 'Élan élan ELAN' | bert-vocab --unused 2 --min-frequency 3 --cased 2>&1 | tr '\n' ' '; echo
echo "a b ab 東京 東" | bert-vocab --alphabet-limit 2 -q | tr '\n' ' '; echo
echo "$text" | bert-vocab --size 34 -o made/here/
ls -A made/here
cat made/here/tokenizer_config.json
echo 'Lower widens.' | bert-tokenize --vocab made/here/vocab.txt --format tokens
echo "$text" | bert-vocab --size 34 --cased -o made
ls -A made
echo 'Lower widens.' | bert-tokenize --vocab made/vocab.txt --format tokens
