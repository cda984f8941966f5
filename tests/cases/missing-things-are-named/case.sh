try() { "$@"; echo "exit $?"; }
mkdir empty
try bert-tokenize -m "$MODELS/pretraining" no-such-file
try bert-tokenize -m no-such-model
for tool in bert-embed bert-predict 'bert-train --task pretrain --out new --steps 1'; do try $tool -m no-such-model; done
try bert-convert no-such-model --info
try bert-convert no-such-model --verify
touch file
try bert-embed -m file
try bert-tokenize -m empty
try bert-embed -m empty
cp "$MODELS/bare"/* .
rm vocab.txt
try bert-embed -m .
