# sentence-transformers modules are converted too and give the same vectors; the transformer moves to the root
# folder.
ln -s "$MODELS" models
for model in sentence-old sentence-new sentence-modes sentence-prompt; do
  echo "-- $model"
  bert-convert "models/$model" --out "$model"
  (cd "$model" && find . -type f | sort)
  for prompt in '' 'a word of '; do
    printf 'the old king\nqueenless\n' | bert-embed -m "models/$model" --prompt "$prompt" >before
    printf 'the old king\nqueenless\n' | bert-embed -m "$model" --prompt "$prompt" | cmp before - && echo same vectors
  done
  bert-convert "$model" --force --out again && diff -r "$model" again && echo same bytes
done
for folder in 1_Pooling 2_Dense; do diff -r models/sentence-new/$folder sentence-new/$folder && echo $folder as it was; done
cmp models/sentence-new/modules.json sentence-new/modules.json
grep -m 1 path sentence-modes/modules.json
echo '-- numbers of dense layers are rounded like the others'
bert-convert models/sentence-new --out half --store f16
grep -ao '"linear.weight":{"dtype":"[A-Z0-9]*"' half/2_Dense/model.safetensors
echo 'the old king' | bert-embed -m half --dim 4 --precision 2 --drop text
echo 'the old king' | bert-embed -m models/sentence-new --dim 4 --precision 2 --drop text
echo '-- replaced by a model without modules'
mkdir half/mine
bert-convert models/bare --force --out half
ls half
