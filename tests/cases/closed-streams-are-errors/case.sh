# A standard stream that the caller closed is an error, not a hang, nor another file under its number.
for tool in tokenize embed predict; do
  echo king | timeout 20 bert-$tool -m "$MODELS/classify" >&-
  echo "exit $?"
  timeout 20 bert-$tool -m "$MODELS/classify" <&-
  echo "exit $?"
  echo king | timeout 20 bert-$tool -m "$MODELS/classify" -o out 2>&-
  echo "exit $?, $(wc -l <out) line"
done
