# Makes open.jsonl, records that bert-train masks itself, and functions that train on them and compare models.
sed 's/,"masked_lm_positions.*/}/' "$MODELS/../training/records.jsonl" >open.jsonl
# train OUT OPTION... [FILE]
train() { bert-train --task pretrain -m "$MODELS/../training/narrow" --dropout 0.1 --batch-size 6 --steps 20 --lr 2e-3 --out "$@"; }
same() { cmp "$1/model.safetensors" "$2/model.safetensors" && echo "$1 = $2"; }
