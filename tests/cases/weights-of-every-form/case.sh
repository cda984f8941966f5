# A tool computes the same bytes from every weight format and never executes code from a file.
forms=$MODELS/../checkpoints
for form in safetensors zip stream shards tensorflow; do
  echo "-- $form"
  echo 'the old king' | bert-embed -m "$forms/$form" --dim 3 --precision 3
  echo 'the old [MASK]' | bert-predict -m "$forms/$form" --top-k 1 --precision 3
done
echo '-- a malicious pickle'
cp -R "$forms/stream" evil
chmod -R u+w evil
head -c 21 "$forms/stream/pytorch_model.bin" >evil/pytorch_model.bin
printf '\200\002}.\200\002cposix\nsystem\nX\013\000\000\000touch brokenq\000\205R.' >>evil/pytorch_model.bin
echo 'the old king' | bert-embed -m evil
ls
echo '-- a damaged checkpoint'
cp -R "$forms/tensorflow" damaged
chmod -R u+w damaged
printf 'x' | dd of=damaged/bert_model.ckpt.data-00001-of-00002 bs=1 seek=5000 conv=notrunc 2>dd.log
echo 'the old king' | bert-embed -m damaged
rm -r damaged/bert_model.ckpt.data-00000-of-00002
echo 'the old king' | bert-embed -m damaged
