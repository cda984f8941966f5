# Archives, documents and directories are refused by name, with the command that helps.
tokenize() { bert-tokenize -m "$MODELS/bare" "$@"; }
printf 'PK\003\004\024\000' >a.zip
cp a.zip a.xlsx; cp a.zip a.docx
tokenize a.zip; tokenize a.xlsx; tokenize a.docx; tokenize - <a.zip; tokenize --input-format text a.zip
printf '%%PDF-1.7\n' >a.pdf
tokenize a.pdf; tokenize <a.pdf
printf 'king\n' >notes
tar cf a.tar notes
tokenize a.tar; tokenize <a.tar
gzip -c a.tar >a.tar.gz
tokenize a.tar.gz
printf 'PAR1\025\004' | tokenize
printf '\223NUMPY\001\000' | tokenize
printf 'ab\000c\n' >binary
tokenize binary
tokenize --input-format text --keep text binary
echo '--- text that looks similar'
for text in 'PK is text' '%PDF is text' 'PAR1 is text' 'BZh is text' 'Rar! is text'; do printf '%s\n' "$text" | tokenize --keep text; done
echo '--- mail'
printf 'From king@court.example Thu Jan  1 00:00:00 2026\nSubject: x\n' >mails.mbox
tokenize --keep text mails.mbox
printf 'From 10:30 to noon\n' | tokenize --keep text
echo '--- directories'
mkdir -p folder/inner
tokenize folder; tokenize folder/; tokenize notes folder/*
bert-train --task classify -m "$MODELS/bare" -o model folder
bert-score --task classify --gold folder notes
