# script(1) provides a terminal.
script -qec "bert-tokenize -m '$MODELS/pretraining'" /dev/null | tr -d '\r'
script -qec "bert-tokenize -m '$MODELS/pretraining' >out 2>err" /dev/null
echo "exit $?"
