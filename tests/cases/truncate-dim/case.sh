# truncate_dim of config_sentence_transformers.json keeps the first numbers of a vector, as sentence-transformers does:
# after all modules, so the vector is not of unit length unless --normalize scales it. --dim overrides it.
cp -R "$MODELS/sentence-old" model && chmod -R u+w model
numbers() { tr -d '[]}' | sed 's/.*://' | tr , '\n' | awk '{ sum += $1 * $1 } END { printf "%d numbers%s\n", NR, (sum > 0.9999 && sum < 1.0001 ? ", unit length" : "") }'; }
embed() { echo 'the old king' | bert-embed --keep embedding "$@"; }
set_to() { echo "{\"truncate_dim\":$1}" >model/config_sentence_transformers.json; }
set_to 5
embed -m model | numbers
embed -m model --precision 4
embed -m "$MODELS/sentence-old" --precision 4 --dim 5
embed -m model --normalize | numbers
embed -m model --dim 8 | numbers
embed -m model --dim 24 | numbers
embed -m model --pooling mean | numbers
embed -m model -v 2>&1 >/dev/null | grep -o 'pooling[^:]* numbers'
bert-convert --info model | grep -o '"truncate_dim":[0-9]*'
embed -m model >index.jsonl
echo 'the old king' | bert-search -m model --index index.jsonl --precision 2
bert-convert model --out converted && embed -m converted | numbers
set_to null
embed -m model | numbers
set_to 100
embed -m model | numbers
echo '-- refused'
for value in '"x"' 0 -3 5.5 true; do
  set_to "$value"
  embed -m model
done
