# Every weight format of a model converts to the same numbers. Converting a converted directory gives the same
# bytes, and the tools compute the same.
forms=$MODELS/../checkpoints
ln -s "$MODELS" models
for form in safetensors zip stream shards tensorflow; do
  echo "-- $form"
  bert-convert "$forms/$form" --out "$form" && ls "$form"
  bert-convert "$form" --out "$form-again"
  diff -r "$form" "$form-again" && echo same bytes
  cmp safetensors/model.safetensors "$form/model.safetensors" && echo same weights
  echo 'the old [MASK]' | bert-predict -m "$forms/$form" >before
  echo 'the old [MASK]' | bert-predict -m "$form" >after
  cmp before after && echo same answer
done
for model in answer bare choose classify half legacy-names masked-lm multilabel next pretraining rank regress sentence-modes sentence-old sharded tag; do
  bert-convert "models/$model" --out "$model" && bert-convert "$model" --force --out twice && diff -r "$model" twice &&
    echo "$model"
done
