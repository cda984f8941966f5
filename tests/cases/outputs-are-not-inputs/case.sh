# An output that names an input, by any option and under any name, is refused before anything is read or written.
refused() {
  "$@"
  echo "exit $?"
  sha256sum -c --quiet sums || echo 'A FILE HAS CHANGED'
}
printf 'the king\nold\n' >texts.txt
bert-embed -m "$MODELS/bare" -o vectors.jsonl texts.txt
bert-embed -m "$MODELS/bare" --format npy -o vectors.npy texts.txt
bert-predict -m "$MODELS/classify" texts.txt | sed 's/^{/{"id":1,"label":"neutral",/' | sed 1q >scored.jsonl
printf 'king\t3\n' >counts.tsv
mkdir folder model
ln texts.txt hard.txt
ln -s ../texts.txt folder/link.txt
cp -r "$MODELS"/classify/* model
chmod -R u+w model
for file in *.txt *.jsonl *.npy *.tsv model/*; do sha256sum "$file"; done >sums
echo '--- FILE'
refused bert-embed -m "$MODELS/bare" -o texts.txt texts.txt
refused bert-embed -m "$MODELS/bare" --format npy -o ./texts.txt texts.txt
refused bert-embed -m "$MODELS/bare" --format google -o hard.txt - texts.txt
refused bert-predict -m "$MODELS/classify" --output folder/link.txt texts.txt
refused bert-tokenize -m "$MODELS/bare" --out texts.txt folder/link.txt
refused bert-mask -m "$MODELS/bare" -o scored.jsonl scored.jsonl
refused bert-nsp-pairs -m "$MODELS/bare" -o scored.jsonl scored.jsonl
refused bert-vocab -o texts.txt texts.txt
refused bert-vocab -o new.txt --counts texts.txt texts.txt
refused bert-vocab -o model model/vocab.txt
refused bert-train --task pretrain -m "$MODELS/pretraining" -o new --plot scored.jsonl scored.jsonl
echo '--- other inputs'
refused bert-search --index vectors.npy --pairs 0.9 -o vectors.npy
refused bert-search --index vectors.jsonl -o vectors.jsonl vectors.jsonl
refused bert-search --index vectors.npy --records texts.txt -o texts.txt vectors.jsonl
refused bert-search --index vectors.npy --graph vectors.npy vectors.jsonl
refused bert-search --index vectors.npy --graph new -o ./new vectors.jsonl
refused bert-score --task classify --gold scored.jsonl -o scored.jsonl
refused bert-score --task classify --plot scored.jsonl --gold scored.jsonl
refused bert-score --task classify --plot new -o ./new scored.jsonl
refused bert-vocab --counts counts.tsv -o counts.tsv
refused bert-embed -m model -o model/config.json texts.txt
refused bert-tokenize -m model -o model/vocab.txt texts.txt
refused bert-tokenize --vocab model/vocab.txt -o model/vocab.txt texts.txt
refused bert-train --task classify -m model --dev scored.jsonl --plot scored.jsonl -o new texts.txt
echo '--- stdout'
append() { "$@" >>texts.txt; }
refused append bert-embed -m "$MODELS/bare" texts.txt
refused append bert-embed -m "$MODELS/bare" - <hard.txt
refused append bert-search --index vectors.npy --records texts.txt vectors.jsonl
refused append bert-train --task classify -m model -o new texts.txt
echo '--- others may be where they are'
bert-tokenize -m model -o model/ids.jsonl texts.txt
bert-tokenize -m model -o model/ids.jsonl texts.txt
bert-tokenize -m model -o /dev/null /dev/null
bert-tokenize -m model </dev/null >/dev/null
echo "exit $?"
