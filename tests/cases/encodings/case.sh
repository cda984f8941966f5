# --encoding; UTF-16 by its byte order mark; bytes that are not in the encoding.
tokenize() { bert-tokenize -m "$MODELS/bare" --keep text "$@"; echo "exit $?"; }
printf 'caf\351\n\200 \223x\224\n' >latin
echo '--- Latin-1'
tokenize latin
tokenize --encoding windows-1252 latin
tokenize --encoding latin-1 latin | head -n 1
printf '{"text":"\351"}\n' | bert-mask -m "$MODELS/bare"
echo '--- UTF-16'
printf '\377\376\061\000\t\000a\000\r\000\n\000=\330\000\336\t\000\344\000' >le.txt
printf '\376\377\000a\330=\336\000' >be.txt
tokenize le.txt be.txt
tokenize --encoding UTF-16 le.txt
printf 'a\000b\000' | tokenize
printf 'a\000b\000' | tokenize --encoding utf-16le
printf '\377\376\000\000a\000\000\000' | tokenize
printf '\377\376t\000e\000x\000t\000\t\000x\000\n\000k\000i\000n\000g\000\t\0001\000\n\000' >excel.txt
bert-tokenize -m "$MODELS/bare" --text-field text excel.txt
echo '--- Shift_JIS, a character in two reads'
printf '\223\372\226{\n' >sjis
tokenize --encoding Shift_JIS sjis
{ printf '\223'; sleep 0.2; printf '\372\n'; } | tokenize --encoding Shift_JIS
echo '--- not in the encoding'
printf 'a\n\223\372\nb\201\n' >bad
tokenize --encoding Shift_JIS bad
tokenize --encoding Shift_JIS --invalid-utf8 replace bad
printf 'a\377\n' | tokenize --encoding ascii
tokenize --encoding Shft_JIS bad 2>&1 | head -n 2
echo '--- several epochs'
printf 'text\tlabel\nb\351\ta\nk\344\tb\n' >train.tsv
bert-train --task classify -m "$MODELS/bare" --encoding latin1 --epochs 3 -o model train.tsv --dev train.tsv >log && echo trained
echo '--- UTF-16 and UTF-32 without a mark'
printf 'a\0b\0\n\0' | tokenize --encoding utf-16
printf '\0a\0\n' | tokenize --encoding UTF-16
printf '\033\004>\004 \0\n\0' | tokenize --encoding utf-16
printf 'a\0\0\0\n\0\0\0' | tokenize --encoding utf-32
printf 'the king\n' | tokenize --encoding utf-16
echo '--- another encoding than the mark says'
printf '\357\273\277king\n' | tokenize --encoding windows-1252
printf '\357\273\277king\n' | tokenize --encoding utf8
printf '\377\376a\0' | tokenize --encoding latin1
echo '--- the header'
printf 'text\377\tlabel\n' >header.tsv
tokenize --encoding ascii header.tsv
echo '--- lines that end with CR'
printf 'text;stars\rnice;5\rbad;1\r' >mac.csv
tokenize --delimiter ';' mac.csv; tokenize --input-format text <mac.csv
printf 'text,stars\rnice,"a\nb"\r' | tokenize --input-format csv
tokenize --input-format file mac.csv
printf 'king\r' | tokenize
