# Sentence tasks truncate long texts by default and report it; split averages the logits of windows, weighted
# by tokens.
text='the old king and the queen said it was a good year for the cat and the dog'
for overflow in truncate split error; do
  echo "-- $overflow"
  echo "$text" | bert-predict -m "$MODELS/classify" --precision 3 --drop text --max-length 8 --overlap 2 --overflow $overflow
done
echo '-- quiet'
echo "$text" | bert-predict -q -m "$MODELS/classify" --precision 3 --drop text --max-length 8
