# All output formats contain the same numbers.
printf 'the old king\nqueen\n' >texts
for format in jsonl tsv; do bert-embed -m "$MODELS/sharded" --dim 3 --precision 3 --format $format texts; done
bert-embed -m "$MODELS/sharded" --dim 3 --format f32 texts | od -An -v -w12 -tf4 | awk '{ printf "%.3f %.3f %.3f\n", $1, $2, $3 }'
bert-embed -m "$MODELS/sharded" --dim 3 --format npy -o texts.npy texts
head -c 127 texts.npy | tail -c +11 | sed 's/ *$//'
tail -c +129 texts.npy | od -An -v -w12 -tf4 | awk '{ printf "%.3f %.3f %.3f\n", $1, $2, $3 }'
bert-embed -m "$MODELS/sharded" --dim 3 --format npy -o tokens.npy --pooling none texts
head -c 127 tokens.npy | tail -c +11 | sed 's/ *$//'
: | bert-embed -m "$MODELS/sharded" --format npy -o none.npy
head -c 127 none.npy | tail -c +11 | sed 's/ *$//'
echo '-- npy on a pipe'
bert-embed -m "$MODELS/sharded" --format npy texts
