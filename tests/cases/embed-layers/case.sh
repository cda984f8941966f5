# Selecting and combining layers.
embed() {
  echo "-- $*"
  echo 'the old king' | bert-embed -m "$MODELS/classify" --pooling cls --precision 3 --drop text --dim 3 "$@"
}
embed --layers 0
embed --layers -1
embed --layers 0,-1 --combine sum
embed --layers 0,-1 --combine mean
embed --layers 0,-1 --layer-weights 0,1
embed --layers 0,-1 --combine mean --layer-weights 3,1
echo '-- concat'
echo 'the old king' | bert-embed -m "$MODELS/classify" --pooling cls --precision 3 --layers -1,0 --format tsv | awk '{ print NF, $1, $37 }'
