# A prompt by name, as text, the model's default, and none; -v says what the model decided.
embed() {
  echo "-- $*"
  echo 'the old king' | bert-embed -m "$MODELS/sentence-new" --dim 3 --precision 3 --drop text "$@"
}
embed -v 2>said
grep -v multiplies said >&2
embed --prompt query
embed --prompt 'find: '
embed --prompt document
embed --prompt ''
