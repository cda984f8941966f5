# Only a missing name counts as absent. A broken link, as in an incomplete cache, must not silently change a
# result.
cp -R "$MODELS/sentence-old" model
for file in modules.json tokenizer_config.json config.json model.safetensors; do
  mv model/$file kept 2>/dev/null
  ln -s nowhere model/$file
  echo one | bert-embed -m model --drop text,embedding
  echo "exit $?"
  bert-convert model --out converted
  echo "exit $?, $(ls -d converted 2>/dev/null | wc -l) directories"
  rm model/$file
  [ ! -e kept ] || mv kept model/$file
done
