#!/bin/sh
# Without next_sentence_label the model has no pooler and no NSP head; bert-predict can use it.
. "$CASE/../lib/tensors.sh"
golden=$MODELS/../training
train() { bert-train --task pretrain -q --steps 2 --batch-size 8 "$@" >/dev/null; }
train --preset tiny --vocab "$golden/narrow/vocab.txt" --out new "$golden/records.jsonl"
sed 's/"next_sentence_label":[01],//' "$golden/records.jsonl" >plain.jsonl
train --config "$golden/narrow/config.json" --vocab "$golden/narrow/vocab.txt" --dropout 0.2 --cased --out plain plain.jsonl
tensors plain/model.safetensors >plain.tensors
tensors new/model.safetensors | sed 's/ .*//' >new.names
sed 's/ .*//' plain.tensors | diff - new.names
grep -E 'architectures|BertFor|dropout|do_lower' plain/config.json plain/tokenizer_config.json
echo '{"input_ids":[2,20,4,3]}' | bert-predict -m plain --task fill | sed 's/"prediction":.*/.../'
