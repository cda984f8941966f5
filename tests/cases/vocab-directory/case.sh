# -o DIR/ replaces both files together and keeps everything else in the directory; a failure changes nothing.
echo 'one two two' >words.txt
learn() { bert-vocab --size 20 --min-frequency 1 "$@" words.txt; }
learn -o new/
ls -A new
echo mine >new/notes
echo old >new/vocab.txt
(ulimit -f 0 && exec bert-vocab --size 20 --force -o new/ words.txt 2>/dev/null)
echo "exit $?: $(cat new/vocab.txt)"
ls -A . new
learn --force --uncased -o new
ls -A new
grep -c . new/vocab.txt
learn -o fresh/ --counts fresh/counts.tsv
ls -A fresh
learn --force -o fresh/ --counts counts.tsv
ls -A fresh counts.tsv
cd new && bert-vocab --size 20 --force -o ./ ../words.txt && ls -A
