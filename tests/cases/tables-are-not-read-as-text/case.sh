# Options that name fields say that the input is no plain text; a first line that looks like a header gets a note.
classify() { bert-predict -m "$MODELS/classify" --keep prediction "$@" | wc -l; }
printf 'ID,Review,Stars\n1,good day,5\n2,bad day,1\n' >comma.csv
cp comma.csv c.txt
echo '--- a misspelt field'
for input in comma.csv c.txt -; do classify --text-field Reviw "$input" <comma.csv; done
classify --pair-field more -  <comma.csv
printf 'sentence\tlabel\nking\ta\n' >train
bert-train --task classify -m "$MODELS/bare" --label-field label --steps 1 -o model train
echo '--- the right one'
for input in comma.csv c.txt -; do classify --text-field Review "$input" <comma.csv; done
echo '--- neither JSON nor a table'
printf 'the king said\nso\n' | classify --text-field body
printf 'the king, who said so.\n' | classify --text-field body
printf '' | classify --text-field body
printf '{"body":"king"}\n' | classify --text-field body
printf 'the king\n' | bert-tokenize -m "$MODELS/bare" --text-field body --input-format text --keep body
echo '--- notes'
printf 'sentence\tlabel\nking\ta\n' >dev.tsv
for header in 'sentence\tlabel' 'title,label' 'id;text' 'the king, and\tso on.' 'yes, sir' 'king,queen'; do
  printf "$header\nking\n" | classify
done
cp dev.tsv dev.txt
classify dev.txt
classify -q - <dev.tsv
echo '--- fields of a task'
printf 'question\tcontext\nWho is it?\tthe old king\n' | bert-predict -m "$MODELS/answer" --keep question
printf 'context,question\nthe old king,who\n' | bert-predict -m "$MODELS/answer" --keep question
printf 'Question,context\nwho,the old king\n' | bert-predict -m "$MODELS/answer" --keep question
echo '--- suffixes'
for name in a.CSV a.Csv; do printf 'label,text\na,king\n' >"$name"; bert-tokenize -m "$MODELS/bare" --keep text "$name"; done
echo '{"text":"king"}' >a.ndjson
bert-tokenize -m "$MODELS/bare" --keep text a.ndjson
