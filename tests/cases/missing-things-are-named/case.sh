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
echo '--- texts and models as FILEs, outputs'
try bert-tokenize -m "$MODELS/bare" 'the old king'
try bert-predict -m "$MODELS/classify" .
mkdir folder
echo king >king.txt
for output in folder no/such/file no/file folder/no/file; do try bert-tokenize -m "$MODELS/bare" -o $output king.txt; done
ln -s no/file link
try bert-tokenize -m "$MODELS/bare" -o link king.txt
