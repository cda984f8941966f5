# CSV by RFC 4180: quotes, commas and line ends in cells; CRLF, blank lines, a missing last newline; errors with the line.
tokenize() { bert-tokenize -m "$MODELS/pretraining" --drop input_ids "$@"; }
printf 'id,text,label\r\n1,"the ""old"" king,\r\nsaid",a\r\n\r\n2,old,b\r\n3,"",c' >table.csv
tokenize table.csv
echo '--- stdin: --input-format csv, or a header line with the text field'
tokenize table.csv >expected
tokenize --input-format csv <table.csv | cmp - expected && tokenize <table.csv | cmp - expected && echo 'the same'
echo '--- columns without a header; a label from CSV is a string'
printf '7,"the king"\n' | bert-tokenize -m "$MODELS/pretraining" --input-format csv --columns id,text --keep id,text
echo '--- errors'
printf 'id,text\n1,"a\nb"\n2,c,d\n' | tokenize --input-format csv
printf 'id,text\n1,"a"b\n' | tokenize --input-format csv
printf 'id,text\n1,a\n2,"b\n' | tokenize --input-format csv
printf 'id,text,id\n' | tokenize --input-format csv
printf 'id,body\n1,a\n' | tokenize --input-format csv
printf 'id,text\n1,"\377"\n2,a\n' | tokenize --input-format csv --on-error skip
