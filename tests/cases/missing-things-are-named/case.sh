try() { "$@"; echo "exit $?"; }
mkdir empty
try bert-tokenize -m "$MODELS/pretraining" no-such-file
try bert-tokenize -m no-such-model
try bert-embed -m no-such-model
try bert-tokenize -m empty
try bert-embed -m empty
cp "$MODELS/bare"/* .
rm vocab.txt
try bert-embed -m .
