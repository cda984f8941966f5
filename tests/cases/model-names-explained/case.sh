# -m with the name of a model on the Hugging Face Hub says how to get it; $BERT_MODEL is named.
try() { "$@" </dev/null; echo "exit $?"; }
for tool in bert-tokenize bert-embed bert-predict 'bert-train --task classify --steps 1 -o out'; do
  try $tool -m bert-base-uncased
done
try bert-convert sentence-transformers/all-MiniLM-L6-v2 --info
try bert-embed -m nowhere
try bert-embed -m ./bert-base-uncased
try bert-embed -m no/such/model-bert
touch file
BERT_MODEL=/nowhere try bert-predict
BERT_MODEL=./file try bert-embed
BERT_MODEL=bert-base-uncased try bert-train --task classify --steps 1 -o out
bert-convert --help | head -n 1
