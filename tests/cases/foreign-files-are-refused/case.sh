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
printf 'Return-Path: <king@court.example>\nSubject: x\n' >a.eml
for format in auto file paragraphs text; do tokenize --input-format "$format" --keep text a.eml a.eml; done
echo '--- images, audio, video, programs'
printf '\211PNG\r\n\032\n\000' >a.png
tokenize a.png; tokenize --encoding windows-1252 a.png; tokenize --input-format text a.png
for magic in '\377\330\377\340' 'GIF89a\001\000\001\000\200\000\000' 'RIFF\001\000\000\000WEBPVP8 ' 'RIFF\001\000\000\000WAVEfmt ' 'ID3\004\000' '\000\000\000\030ftypmp42\000' '\177ELF\002'; do printf "$magic" | tokenize; done
for text in 'GIF89a is text' 'RIFF is WAVE text' 'ID3 is text'; do printf '%s\n' "$text" | tokenize --keep text; done
i=0; while [ $i -lt 100 ]; do printf '\001\200\377a\n\220\002b'; i=$((i + 1)); done >noise
tokenize noise; tokenize --encoding windows-1252 noise
echo '--- several FILEs with --on-error skip'
tokenize --on-error skip --keep text notes absent a.png folder noise notes
tokenize --on-error skip --keep text absent
tokenize --on-error skip --keep text a.png noise; echo "exit $?"
printf '{"text":"king","label":"a"}\n{"text":"old","label":"b"}\n' >a.jsonl
bert-train --task classify -m "$MODELS/bare" --steps 1 --on-error skip -o model a.jsonl a.png >log && echo trained
