# Rounding is to nearest, ties to even; values that a narrow format can represent survive a round trip; the
# old model is replaced.
for format in f32 f16 bf16; do
  bert-convert "$MODELS/classify" --out "$format" --store "$format"
  grep torch_dtype "$format/config.json"
  cksum <"$format/model.safetensors"
  bert-convert "$format" --force --out wide --store f32
  bert-convert wide --force --out back --store "$format"
  diff -r "$format" back && echo "$format: there and back"
  bert-convert "$format" --info | grep -o '"formats":{[^}]*}'
done
cmp f32/model.safetensors "$MODELS/classify/model.safetensors" && echo as it was
