# The header of npy is written last, so stdout must be a file, at any place in it.
embed() { bert-embed -m "$MODELS/bare" "$@"; }
printf 'the king\nold\n' >texts.txt
embed --format npy -o expected.npy texts.txt
embed --format npy texts.txt >x.npy && cmp x.npy expected.npy && echo same
{ printf 'before'; embed --format npy texts.txt; } >y.npy
{ printf 'before'; cat expected.npy; } | cmp - y.npy && echo same
bert-predict -m "$MODELS/classify" --format npy-f16 texts.txt >z.npy
head -c 6 z.npy | tail -c 5 && echo
echo '--- no file'
embed --format npy texts.txt | cat
embed --format npy texts.txt >>x.npy
echo "exit $?"
cmp x.npy expected.npy
echo '--- a failed run leaves no array'
printf '{"text":"a"}\n{"text":1}\n' | embed --format npy >failed.npy
echo "exit $?"
bert-search --index failed.npy expected.npy
