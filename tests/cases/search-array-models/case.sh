# The model of an array is in a file beside it.
printf 'the old king\na good film\n' >texts.txt
embed() { bert-embed -m "$MODELS/pretraining" "$@" texts.txt; }
try() {
  bert-search -m "$MODELS/classify" -k 1 --dim 16 --keep neighbors --index "$@"
  echo "exit $?"
}
for format in npy npy-f16 f32; do
  suffix=${format%-f16}
  embed --format $format --dim 16 -o rows.$suffix
  sed 's/"array":"[0-9]*-[0-9a-f]*"/"array":"..."/' rows.$suffix.json
  try rows.$suffix texts.txt
done
echo "queries:"
embed --dim 16 --pooling cls | bert-search --index rows.npy
bert-embed -m "$MODELS/classify" --dim 16 --format npy -o others.npy texts.txt
try rows.npy others.npy
bert-search --dedup 0.9 rows.npy others.npy
echo "other rows with the name:"
cp rows.npy.json kept
cp others.npy rows.npy
try rows.npy texts.txt
bert-embed -m "$MODELS/classify" --dim 16 --format npy -o rows.npy texts.txt
cmp -s kept rows.npy.json || echo replaced
try rows.npy texts.txt
echo "none:"
rm rows.npy.json
try rows.npy --precision 2 texts.txt
echo '{"shape":[2,16]}' >rows.npy.json
try rows.npy --precision 2 texts.txt
embed --format npy -o rows.npy
cat rows.npy.json
embed --format f32 | wc -c
embed --format f32 -o /dev/null
embed --format tsv -o rows.tsv
embed --on-error stop --input-format jsonl --format npy -o bad.npy
ls
