#!/bin/sh
# Usage errors are one line with exit code 2.
try() { echo "bert-tokenize $*" >&2; bert-tokenize "$@" </dev/null; echo "exit $?"; }
export BERT_MODEL="$MODELS/bare"
try --sentences --decode
try --sentences --tokens
try --sentences --max-length 9
try --sentences --overflow split
try --sentences --locale xx
try --locale ""
try --decode --stats
try --cased --uncased
try -m x --vocab y
try --max-length 0
try --max-length two
try --max-length 2
try --max-length 2 --no-special-tokens
try --max-length 40 --overflow split
try --max-length 66 --overflow split
try --max-length 67 --overflow split
try --overflow wrap
try --overlap -1
try --offsets words
try --format xml
try --format ids --tokens
try --format tokens --offsets chars
try --stats --word-ids
try --decode --tokens
try --decode --format ids
try --stats --format tokens
try --compat fast
try --threads 0
try --unknown
try --overflow split --overlap 600
try --format ids --drop id
try --format tokens --keep id
