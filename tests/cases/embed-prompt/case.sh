# A prompt by name, as text, the model's default, and none.
embed() {
  echo "-- $*"
  echo 'the old king' | bert-embed -m "$MODELS/sentence-new" --dim 3 --precision 3 --drop text "$@"
}
embed
embed --prompt query
embed --prompt 'find: '
embed --prompt document
embed --prompt ''
