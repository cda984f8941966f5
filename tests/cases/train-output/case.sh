#!/bin/sh
# The model directory: files, names and shapes follow Hugging Face, and bert-embed and bert-predict can use
# it.
golden=$MODELS/../training
train() { bert-train --task pretrain -q --steps 2 --batch-size 8 "$@" >/dev/null; }
# "name dtype shape" of each tensor; the header is JSON after its length.
tensors() {
  python3 -c '
import json, struct, sys
file = open(sys.argv[1], "rb")
header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
print("metadata", header.pop("__metadata__"))
for name in sorted(header): print(name, header[name]["dtype"], *header[name]["shape"])' "$1"
}
train --preset tiny --vocab "$golden/narrow/vocab.txt" --out new "$golden/records.jsonl"
ls new
cat new/config.json
tensors new/model.safetensors
cmp "$golden/narrow/vocab.txt" new/vocab.txt
echo '--- without next_sentence_label the model has no pooler and no NSP head'
sed 's/"next_sentence_label":[01],//' "$golden/records.jsonl" >plain.jsonl
train --config "$golden/narrow/config.json" --vocab "$golden/narrow/vocab.txt" --dropout 0.2 --cased --out plain plain.jsonl
tensors plain/model.safetensors >plain.tensors
tensors new/model.safetensors | sed 's/ .*//' >new.names
sed 's/ .*//' plain.tensors | diff - new.names
grep -E 'architectures|BertFor|dropout|do_lower' plain/config.json plain/tokenizer_config.json
echo '--- the other tools read the model'
echo '{"input_ids":[2,20,21,3]}' | bert-embed -m new --drop input_ids | tr ',' '\n' | wc -l
echo '{"input_ids":[2,20,4,3]}' | bert-predict -m new | sed 's/"prediction":.*/.../'
echo '{"input_ids":[2,20,3,21,3],"token_type_ids":[0,0,0,1,1]}' | bert-predict -m new --task next | sed 's/"prediction":.*/.../'
echo '{"input_ids":[2,20,4,3]}' | bert-predict -m plain --task fill | sed 's/"prediction":.*/.../'
echo '--- sinusoidal position embeddings do not depend on the seed'
for seed in 1 2; do
  for start in normal sinusoid; do
    train --preset tiny --vocab "$golden/narrow/vocab.txt" --lr 0 --init-positions $start --seed $seed --out $start$seed "$golden/records.jsonl"
    python3 -c '
import json, struct, sys
file = open(sys.argv[1], "rb")
header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
begin, end = header["bert.embeddings.position_embeddings.weight"]["data_offsets"]
start = file.tell()
file.seek(start + begin)
sys.stdout.buffer.write(file.read(end - begin))' $start$seed/model.safetensors >$start$seed.positions
  done
done
cmp sinusoid1.positions sinusoid2.positions && echo same
cmp -s normal1.positions normal2.positions || echo other
cmp -s sinusoid1/model.safetensors sinusoid2/model.safetensors || echo 'and all else other'
