# One cause and its column; records over several lines; numbers of any size; half surrogates.
tokenize() { bert-tokenize -m "$MODELS/bare" --drop input_ids "$@"; }
bad() { printf '%s\n' "$1" | tokenize --input-format jsonl; }
bad '{"text":"é" "n":1}'
bad '{"text":"a",}'
bad '{"text" "a"}'
bad '{text:"a"}'
bad "{'text':'a'}"
bad '{"text":}'
bad '{"text":NaN}'
bad '{"text":"a","n":True}'
bad '{"text":"a","n":01}'
bad '{"text":"a'
bad '{"text":"a\x"}'
bad '{"text":"a"}}'
bad '{"text":["a"}'
bad '{"text":"a	b"}'
bad '"a" "b"'
echo '{text' | tokenize
echo '--- over several lines'
printf '{\n  "text": "a"\n}\n' | tokenize
printf '{"text":"a"}\n{"text":\n"b"}\n' >two.jsonl
tokenize two.jsonl
printf '[\n {"text":"a"}]\n' | tokenize
echo '--- numbers that nobody reads'
digits=$(printf '%0400d' 0 | tr 0 7)
printf '{"text":"a","n":[1e999,-1E+999,%s,-%s.5e3]}\n' "$digits" "$digits" >large.jsonl
tokenize large.jsonl | cut -c 1-60
tokenize large.jsonl | cmp - large.jsonl && echo same
printf '{"text":"a","n":1.e5}\n' | tokenize
printf '{"text":"a","label":1e999}\n' >label.jsonl
bert-train --task regress -m "$MODELS/bare" --steps 1 -o model label.jsonl
echo '--- half surrogates'
for text in '\ud800' '\udc00x' '\ud83d\ude00' '\\ud800' '\ud800\ud83d\ude00'; do
  printf '{"text":"%s"}\n' "$text" >surrogate
  tokenize surrogate
  tokenize --invalid-utf8 replace surrogate
done
echo '--- files of a model'
cp -r "$MODELS/bare" model
printf '{\n  "hidden_size": 8\n  "x": 1\n}\n' >model/config.json
bert-embed -m model </dev/null
echo '--- several records on a line'
printf '{"text":"a"} {"text":"b"}\n' | tokenize
printf '{"text":"a"}{"text":"b"}\n' | tokenize
