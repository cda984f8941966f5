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
# A word is a name, which the model must have; a text has a space or punctuation mark.
embed --prompt qurey
embed --prompt Query
embed --prompt passage
echo 'the old king' | bert-embed -m "$MODELS/bare" --prompt query
printf 12345678 >i.f32
echo 'the old king' | bert-search -m "$MODELS/bare" --prompt query --index i.f32 --dim 2
echo 'the old king' | bert-embed -m "$MODELS/bare" --prompt 'query ' --dim 3 --precision 3
