# A standard stream closed by the caller is an error: the tool does not hang or use another file with that
# descriptor.
for tool in tokenize embed predict; do
  echo king | timeout 20 bert-$tool -m "$MODELS/classify" >&-
  echo "exit $?"
  timeout 20 bert-$tool -m "$MODELS/classify" <&-
  echo "exit $?"
  echo king | timeout 20 bert-$tool -m "$MODELS/classify" -o out 2>&-
  echo "exit $?, $(wc -l <out) line"
done
