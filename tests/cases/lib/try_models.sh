# Makes links to the test models, and functions that predict with a model and change its config.json.
try() {
  echo "-- $*"
  echo '{"text":"the [MASK] king","text_pair":"the queen"}' |
    bert-predict --precision 1 --drop text,text_pair,scores,candidates,entities -m "$@"
}
# variant NAME MODEL SED: copies the model with a changed config.json.
variant() {
  cp -RL "$MODELS/$2" "$1"
  sed "$3" "$MODELS/$2/config.json" >"$1/config.json"
}
for model in classify multilabel tag pretraining; do ln -s "$MODELS/$model" $model; done
