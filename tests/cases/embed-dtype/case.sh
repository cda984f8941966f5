# Vectors in int8 and bf16 are close to those in f32 but not equal; -v names the dtype and the kernel.
export LC_ALL=C
for i in 1 2 3 4 5 6 7 8; do
  awk -v first=$i 'NR > 104 && (NR * 7 + first) % 11 == 0 { printf "%s ", $0 } END { print "" }' "$MODELS/bare/vocab.txt"
done >texts
embed() { bert-embed -m "$MODELS/bare" --format tsv --precision 6 "$@" texts | tr '\t' ' '; }
embed >f32
embed --dtype f32 | cmp - f32
formats=int8
if bert-embed --dtype bf16 /dev/null 2>said; then
  formats='int8 bf16'
else
  grep -qx 'bert-embed: --dtype bf16: this processor does not multiply bf16 (AVX512_BF16)' said || cat said
fi
for format in $formats; do
  embed --dtype $format >found
  cmp -s f32 found && echo "$format is f32"
  paste -d ' ' f32 found | awk -v format=$format '
    { ab = aa = bb = 0; for (i = 1; i <= NF / 2; i++) { a = $i; b = $(i + NF / 2); ab += a * b; aa += a * a; bb += b * b }
      cosine = ab / sqrt(aa * bb); least = format == "int8" ? 0.99 : 0.9999
      if (cosine < least) print format ", line " NR ": cosine " cosine }
    END { if (NR != 8) print NR " lines" }'
done
for format in f32 int8; do
  embed -v --dtype $format 2>&1 >/dev/null | grep -c ", $format ([a-z0-9_: ]*), "
done
bert-predict --dtype int7 texts
echo "exit $?"
