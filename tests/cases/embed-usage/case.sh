# Invalid command lines: exit code 2 and one line with a hint at --help.
ln -s "$MODELS" models
try() {
  bert-embed "$@" </dev/null
  echo "exit $?"
}
try -m models/bare --dtype f16
try -m models/bare --pooling first
try -m models/bare --batch-tokens 0
try -m models/bare --dim 0
try -m models/bare --layers one
try -m models/bare --layers 1,2 --layer-weights 1
try -m models/bare --layers 1,2 --layer-weights 1,1 --combine concat
try -m models/bare --format google --pooling mean
try -m models/bare --format google --normalize
try -m models/bare --format google --overflow split
try -m models/bare --format npy-f16 --keep text
try -m models/bare --format npy --base64
try -m models/bare --base64 --precision 3
try -m models/bare --format xml
try -m models/bare --colour
# Errors that depend on the model: exit code 1.
try -m nowhere
try -m models/bare --layers 99
try -m models/bare --dim 99
try -m models/bare --layers 0,1 --pooling pooler
try -m models/masked-lm --pooling pooler
try -m models/sentence-new --layers 0,1
BERT_MODEL=models/bare try --dtype f32
BERT_MODEL=models/bare try --dtype auto
try -m models/bare --pair-field text
try -m models/bare --columns a,a
