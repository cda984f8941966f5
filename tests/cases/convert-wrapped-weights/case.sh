# Weights of a model inside another module or a training loop's checkpoint: prefixes are removed, dictionaries opened.
cat >rewrite.py <<'END'
import json, struct, sys, zipfile
source, out, how = sys.argv[1:]
if source.endswith(".bin"):  # puts the dictionary, of protocol 2, into others: state_dict/model/...
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith("data.pkl"):
                for key in reversed(how.split("/")):
                    name = key.encode()
                    data = (b"\x80\x02}X\x05\0\0\0epochK\x03sX" + struct.pack("<I", len(name)) + name + data[2:-1] +
                            b"sX\x09\0\0\0optimizer}K\x00K\x01ss.")
            new.writestr(info.filename, data)
    sys.exit()
data = open(source, "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
def renamed(name):
    if name == "__metadata__": return name
    if how == "encoder.": return name if name.startswith("classifier") else how + name.removeprefix("bert.")
    if how == "two": return "query." + name
    if how == "within": return name.replace("encoder.layer.1.", "encoder.layer.1._checkpoint_wrapped_module.")
    return how + name
new = {renamed(name): entry for name, entry in header.items()}
if how == "two": new |= {name.replace("query.", "context."): entry | {"data_offsets": entry["data_offsets"]} for name, entry in list(new.items())[1:2]}
text = json.dumps(new).encode()
open(out, "wb").write(struct.pack("<Q", len(text)) + text + data[8 + length:])
END
classify=$MODELS/classify forms=$MODELS/../checkpoints
mkdir model
cp "$classify"/* model
chmod -R u+w model
echo 'the old king' | bert-predict -m "$classify" >expected
for prefix in module. model. _orig_mod. bert_model. encoder. 0.auto_model. _orig_mod.module.model. within; do
  python3 rewrite.py "$classify/model.safetensors" model/model.safetensors $prefix
  echo 'the old king' | bert-predict -m model | cmp expected - && echo "$prefix"
done
bert-convert model --out converted && cmp "$classify/model.safetensors" converted/model.safetensors && echo converted
rm -r model
cp -R "$forms/zip" model
chmod -R u+w model
echo 'the old king' | bert-embed --keep embedding -m "$forms/zip" >expected
for keys in state_dict model model_state_dict module state_dict/model; do
  python3 rewrite.py "$forms/zip/pytorch_model.bin" model/pytorch_model.bin $keys
  echo 'the old king' | bert-embed --keep embedding -m model | cmp expected - && echo "$keys"
done
bert-convert model --out unwrapped && bert-convert "$forms/zip" --out plain && diff -r plain unwrapped && echo converted
echo '-- refused'
python3 rewrite.py "$forms/zip/pytorch_model.bin" model/pytorch_model.bin weights
echo 'the old king' | bert-embed -m model
rm -r model
cp -R "$MODELS/sentence-new" model
chmod -R u+w model
cp model/2_Dense/model.safetensors model/model.safetensors
echo 'the old king' | bert-embed -m model
bert-convert model --out never
