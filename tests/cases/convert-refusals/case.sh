# Invalid command lines, sources and targets.
ln -s "$MODELS" models
try() {
  bert-convert "$@" </dev/null
  echo "exit $?"
}
try
try models/bare
try models/bare models/tag --info
try models/bare --store f16
try models/bare --out new --store f8
try models/bare --info --store f16
try absent --out new
mkdir empty other
touch other/notes
try empty --out new
try models/bare --out other
cp -R models/bare own
chmod -R u+w own
try own --out own
echo '-- other shapes than the configuration says'
sed -i 's/"intermediate_size": [0-9]*/"intermediate_size": 8/' own/config.json
try own --out new
echo '-- a wrong checksum'
cp -R "$MODELS/../checkpoints/zip" zip
chmod -R u+w zip
printf 'x' | dd of=zip/pytorch_model.bin bs=1 seek=9000 conv=notrunc 2>dd.log
try zip --info --verify
try zip --out new
echo '-- no file is left behind'
ls
echo '-- other files than weights'
mkdir page
cp models/bare/config.json models/bare/vocab.txt page
for text in '<!DOCTYPE html><html></html>' '
<html lang="en">' 'Entry not found' 'version https://git-lfs.github.com/spec/v1'; do
  echo "$text" >page/model.safetensors
  try page --info
done
echo '-- fewer layers than the configuration says'
cp models/bare/model.safetensors page
sed -i 's/"num_hidden_layers": [0-9]*/"num_hidden_layers": 9/' page/config.json
try page --info
