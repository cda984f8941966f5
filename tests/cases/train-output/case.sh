#!/bin/sh
# The model directory: files, names and shapes follow Hugging Face, and bert-embed and bert-predict can use
# it.
. "$CASE/../lib/tensors.sh"
golden=$MODELS/../training
train() { bert-train --task pretrain -q --steps 2 --batch-size 8 "$@" >/dev/null; }
train --preset tiny --vocab "$golden/narrow/vocab.txt" --out new "$golden/records.jsonl"
ls new
cat new/config.json
tensors new/model.safetensors
cmp "$golden/narrow/vocab.txt" new/vocab.txt
echo '--- the other tools read the model'
echo '{"input_ids":[2,20,21,3]}' | bert-embed -m new | jq '.embedding | length'
echo '{"input_ids":[2,20,4,3]}' | bert-predict -m new | sed 's/"prediction":.*/.../'
echo '{"input_ids":[2,20,3,21,3],"token_type_ids":[0,0,0,1,1]}' | bert-predict -m new --task next | sed 's/"prediction":.*/.../'
