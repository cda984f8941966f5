# CSV with other delimiters, Excel's first line "sep=;", headers that are read with the wrong one, empty names.
tokenize() { bert-tokenize -m "$MODELS/bare" --drop input_ids "$@"; }
printf '\357\273\277id;text;label\r\n1;"the king; said";a\r\n' >semicolon.csv
echo '--- --delimiter'
for input in semicolon.csv -; do tokenize --delimiter ';' "$input" <semicolon.csv; done
printf 'id|text|label\n1|king, old|a\n' | tokenize --delimiter '|'
printf 'id\ttext\tlabel\n1\t"the\tking"\ta\n' >quoted.tsv
for tab in tab '\t' '	'; do tokenize --delimiter "$tab" quoted.tsv; done
printf '1;king\n' | tokenize --delimiter ';' --columns id,text
printf '{"id":1,"text":"king"}\n' | tokenize --delimiter ';'
echo '--- sep='
printf 'sep=;\r\nid;text;label\r\n1;"a ""b"";";c\r\n2;x\r\n' >excel.csv
tokenize --on-error skip excel.csv
tokenize --on-error skip -q <excel.csv
printf 'sep=\tx\n' | bert-tokenize -m "$MODELS/bare" --keep text
echo '--- found in the header, unless it is given'
tokenize semicolon.csv
tokenize --delimiter , semicolon.csv
tokenize --text-field text <semicolon.csv
tokenize --input-format csv <quoted.tsv
printf 'sep=|\nid;text\n' | tokenize --text-field text --input-format csv
echo '--- the wrong one'
printf 'id,text\n1,king\n' >comma.tsv
tokenize comma.tsv
bert-train --task classify -m "$MODELS/bare" --steps 1 -o model semicolon.csv
printf 'text\nking; old\n' | tokenize --input-format csv
echo '--- columns without a name are left out'
printf ',text,\n0,king,x\n' | bert-tokenize -m "$MODELS/bare" --input-format csv
printf 'a\t\ttext\n0\t1\tking\n' | bert-tokenize -m "$MODELS/bare" --input-format tsv
echo '--- usage'
for bad in '' '"' ab a é; do tokenize --delimiter "$bad" </dev/null 2>&1 | head -n 1; done
tokenize --delimiter ';' --input-format tsv </dev/null 2>&1 | head -n 1
echo '--- sep= in text, in any case'
printf 'Sep=;\nid;text\n1;king\n' >sep.txt
tokenize sep.txt; tokenize <sep.txt
printf '"sep=;"\nid;text\n1;king\n' | tokenize
echo '--- quotes that are not closed'
{ echo id,text; for i in 1 2 3 4 5; do if [ $i = 2 ]; then echo '2,"stray'; else echo "$i,row $i"; fi; done; } >stray.csv
tokenize --on-error skip stray.csv; tokenize stray.csv
{ cat stray.csv; echo '6,"in quotes"'; } | tokenize --input-format csv --on-error skip
printf 'id,text\n1,"king' | tokenize --input-format csv
echo '--- quotes in TSV'
printf 'id\ttext\r\n1\t"5"" disk"\r\n2\t"old\r\n' >kept.tsv
tokenize kept.tsv
tokenize --delimiter tab --on-error skip kept.tsv
printf 'id\ttext\n1\t"two\nlines"\n' | tokenize --input-format tsv
echo '--- a title above the header'
printf 'Kings of old\nid,text\n1,a\n' >title.csv
tokenize title.csv
