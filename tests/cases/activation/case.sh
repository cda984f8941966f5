# --activation overrides the model's activation in every tool that opens a model, and in converted models.
forms=$MODELS/../checkpoints
embed() { echo 'the old king' | bert-embed --dim 3 --precision 4 --drop text "$@"; }
for activation in gelu gelu_new gelu_tanh gelu_python relu silu tanh linear; do
  echo "$activation $(embed -m "$forms/tensorflow" --activation "$activation")"
done
echo '-- without --activation, gelu in a TensorFlow checkpoint is the approximation by tanh'
grep hidden_act "$forms/tensorflow/bert_config.json"
embed -m "$forms/tensorflow"
echo '-- kept by bert-convert'
bert-convert "$forms/tensorflow" --out exact --activation gelu
grep hidden_act exact/config.json
bert-convert exact --info | grep -o '"hidden_act":"[a-z_]*"'
bert-convert exact --info --activation relu | grep -o '"hidden_act":"[a-z_]*"'
embed -m exact
echo 'the [MASK] king' >masked
bert-predict -m exact masked >converted
bert-predict -m "$forms/tensorflow" --activation gelu masked | cmp - converted && echo same answers
bert-predict -m "$forms/tensorflow" masked | cmp -s - converted || echo others without it
echo '-- refused'
try() { "$@" </dev/null; echo "exit $?"; }
try bert-embed -m exact --activation Gelu
try bert-predict -m exact --activation ''
try bert-convert exact --activation geglu --info
try bert-convert exact --activation gelu --verify
