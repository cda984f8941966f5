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
echo '-- f16'
bert-embed -m "$MODELS/sharded" --dim 3 --format npy-f16 -o half.npy texts
head -c 127 half.npy | tail -c +11 | sed 's/ *$//'
tail -c +129 half.npy | od -An -v -w6 -tx2
echo '-- base64'
bert-embed -m "$MODELS/sharded" --dim 3 --base64 texts > base64.jsonl
for i in 1 2; do
  sed -n "$i"'s/.*"embedding":"\([^"]*\)".*/\1/p' base64.jsonl | base64 -d | od -An -v -w12 -tf4 |
    awk '{ printf "%.3f %.3f %.3f\n", $1, $2, $3 }'
done
bert-embed -m "$MODELS/sharded" --dim 1 --base64 --pooling none --layers 0 texts | sed 's/"[A-Za-z0-9+/]\{6\}=="/VECTOR/g'
bert-embed -m "$MODELS/sharded" --dim 3 --base64 --format tsv --keep text texts | sed 's/[A-Za-z0-9+/]\{16\}/VECTOR/'
echo '-- npy on a pipe'
bert-embed -m "$MODELS/sharded" --format npy texts | cat
