# A model supports only the tasks of its trained head; heads found in the weights count, and so does
# problem_type.
try() {
  echo "-- $*"
  echo '{"text":"the [MASK] king","text_pair":"the queen"}' |
    bert-predict --precision 1 --drop text,text_pair,scores,candidates,entities -m "$@"
  echo "exit $?"
}
# variant NAME MODEL SED: copies the model with a changed config.json.
variant() {
  cp -RL "$MODELS/$2" "$1"
  sed "$3" "$MODELS/$2/config.json" >"$1/config.json"
}
for model in classify multilabel tag pretraining; do ln -s "$MODELS/$model" $model; done
try classify --task tag
try classify --task multilabel
try pretraining --task classify
try multilabel --task classify
try multilabel --task rank
try tag --task answer
echo '==== problem_type is what tells multilabel from classify'
variant untyped classify /problem_type/d
try untyped
try untyped --task multilabel
variant typed classify 's/single_label/multi_label/'
try typed --threshold 0
echo '==== heads that config.json does not name, as next in bert-base-uncased'
variant masked-only pretraining s/BertForPreTraining/BertForMaskedLM/
try masked-only --task next
echo '==== without architectures the weights tell'
variant unnamed pretraining 's/BertForPreTraining/BertModel/'
try unnamed
try unnamed --task fill --top-k 1
echo '==== training starts from any head'
echo '{"words":["old","king"],"tags":["O","B-PER"]}' >train.jsonl
bert-train -q -m classify --task tag --steps 1 --out trained train.jsonl >log && try trained --task tag | sed 's/\[.*/[...]/'
