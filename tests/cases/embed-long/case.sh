# Texts longer than the model's maximum, or than --max-length.
text='the old king and the queen said it was a good year for the cat and the dog'
embed() {
  echo "-- $*"
  echo "$text" | bert-embed -m "$MODELS/sharded" --dim 2 --precision 3 --drop text "$@"
  echo "exit $?"
}
embed
embed --max-length 8
embed --max-length 8 --overflow split --overlap 2
embed --max-length 8 --overflow split --overlap 0 --pooling none --layers 0
embed --max-length 8 --overflow error
embed --max-length 9999
embed --max-length 2
embed --max-length 8 --overflow split --overlap 7
