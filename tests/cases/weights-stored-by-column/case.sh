# Matrices that PyTorch stored column by column (tensor.t()), word embeddings included, give the same results.
cat >columns.py <<'END'
import io, json, pickle, struct, sys, types, zipfile
utils, torch = types.ModuleType("torch._utils"), types.ModuleType("torch")
def _rebuild_tensor_v2(*arguments): pass
class FloatStorage: pass
_rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__, FloatStorage.__module__ = "torch._utils", "_rebuild_tensor_v2", "torch"
utils._rebuild_tensor_v2, torch.FloatStorage, torch._utils = _rebuild_tensor_v2, FloatStorage, utils
sys.modules |= {"torch": torch, "torch._utils": utils}
class Storage:
    def __init__(self, key, count): self.key, self.count = key, count
class Tensor:
    def __init__(self, *arguments): self.arguments = arguments
    def __reduce__(self): return _rebuild_tensor_v2, self.arguments
class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Storage): return "storage", FloatStorage, value.key, "cpu", value.count
source, out = sys.argv[1:]
data = open(source, "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
header.pop("__metadata__", None)
tensors, blobs = {}, {}
for key, (name, entry) in enumerate(header.items()):
    begin, end = entry["data_offsets"]
    blob, shape, strides = data[8 + length + begin:8 + length + end], tuple(entry["shape"]), (1,)
    if len(shape) == 2:
        n, k = shape
        blob = b"".join(blob[4 * (i * k + j):4 * (i * k + j) + 4] for j in range(k) for i in range(n))
        strides = (1, n)
    blobs[str(key)] = blob
    tensors[name] = Tensor(Storage(str(key), len(blob) // 4), 0, shape, strides, False, {})
text = io.BytesIO()
Pickler(text, 2).dump(tensors)
with zipfile.ZipFile(out, "w") as archive:
    archive.writestr("archive/data.pkl", text.getvalue())
    for key, blob in blobs.items(): archive.writestr("archive/data/" + key, blob)
END
mkdir copy && cp -R "$MODELS/pretraining" copy && chmod -R u+w copy
rm copy/pretraining/model.safetensors
python3 columns.py "$MODELS/pretraining/model.safetensors" copy/pretraining/pytorch_model.bin
for dtype in f32 int8; do
  for tool in bert-embed 'bert-predict --task fill' 'bert-predict --task next'; do
    echo '{"text":"the old [MASK]","text_pair":"a queen"}' | $tool --dtype $dtype -m "$MODELS/pretraining" >expected
    echo '{"text":"the old [MASK]","text_pair":"a queen"}' | $tool --dtype $dtype -m copy/pretraining | cmp expected - && echo "$tool $dtype"
  done
done
bert-convert copy/pretraining --out converted && cmp converted/model.safetensors "$MODELS/pretraining/model.safetensors" && echo converted
