# Usage errors are one line with exit code 2; file errors have exit code 1, and no output is created.
try() { echo "bert-vocab $*" >&2; bert-vocab "$@" </dev/null; echo "exit $?"; }
try
try --cased --uncased
try --size -1
try --min-frequency 0
try --criterion best
try --max-words 1
try --counts - -
try --counts missing.tsv
try missing.txt -o new/
echo abc >text
try --size 7 text -o out
try text -o /dev/full
try text --counts out -o out
try text --counts new/vocab.txt -o new/
try text --size 0 --counts words.tsv -o new/
ls
