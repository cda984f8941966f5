# Each pooling; max is never below mean, and cls is the first row of none.
for pooling in auto cls mean max pooler none; do
  echo "-- $pooling"
  echo 'the old king' | bert-embed -m "$MODELS/classify" --pooling $pooling --dim 3 --precision 3 --drop text
done
