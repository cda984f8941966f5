# Option names that people bring from other tools, shorten or misspell: the right suggestion or none.
while read -r tool names; do
  for name in $names; do bert-$tool "$name" </dev/null 2>&1 | sed -n '1s/: unknown option//p'; done
done <"$CASE/names"
# A long name with one hyphen is not a short option with a value; the value of an option may look like one.
bert-embed -output out.jsonl </dev/null
bert-embed -model "$MODELS/bare" </dev/null
bert-embed -k 3 </dev/null
echo x | bert-tokenize -m "$MODELS/bare" --format ids -o -model && cat ./-model
echo "words"
while read -r tool option words; do
  for word in $words; do bert-$tool "$option" "$word" </dev/null 2>&1 | sed -n '1s/: .*, not / /p'; done
done <"$CASE/words"
