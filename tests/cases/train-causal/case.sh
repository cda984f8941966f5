#!/bin/sh
# --causal: next tokens are predicted, records may be masked by bert-mask --causal, and fine-tuning keeps is_decoder.
records=$MODELS/../training/records.jsonl
sed 's/,"masked_lm_positions.*//; s/,"next_sentence_label":[01]//; s/$/}/; s/}}$/}/' "$records" >plain.jsonl
train() { bert-train -q --batch-size 16 --schedule constant --lr 1e-3 "$@" | sed 's/,"lr".*//; s/\.[0-9]*//g'; }
new() { train --task pretrain --preset tiny --vocab "$MODELS/../training/narrow/vocab.txt" --steps 2 --no-shuffle "$@"; }
is_decoder() { for model; do echo "$model: $(grep -c '"is_decoder": true' "$model/config.json") $(grep -A 1 architectures "$model/config.json" | tail -n 1)"; done; }
bert-mask --causal --vocab "$MODELS/../training/narrow/vocab.txt" plain.jsonl >next.jsonl
new --causal -o causal plain.jsonl >log
new --causal -o given next.jsonl | cmp - log && cmp causal/model.safetensors given/model.safetensors && echo 'same weights'
new -o both plain.jsonl >/dev/null
cmp -s causal/model.safetensors both/model.safetensors || echo 'other weights without --causal'
sed 's/,"masked_lm_positions[^]]*],"masked_lm_ids[^]]*]//' "$records" >pairs.jsonl
new --causal -o nsp pairs.jsonl | grep -c nsp_loss
is_decoder causal both nsp
# From a model: --causal changes it, and a causal one stays causal.
printf '{"text":"a good day","label":"x"}\n{"text":"the old king","label":"y"}\n' >texts.jsonl
train --task classify -m "$MODELS/pretraining" --causal -o made texts.jsonl >/dev/null
train --task classify -m made -o kept texts.jsonl >/dev/null
train --task pretrain -m causal --steps 1 -o more plain.jsonl >/dev/null
is_decoder made kept more
train --task pretrain -m causal --causal --steps 1 --whole-word -o no plain.jsonl
# Without --causal, too: the model is causal.
train --task pretrain -m causal --steps 1 --whole-word -o no plain.jsonl
bert-mask -q --vocab "$MODELS/../training/narrow/vocab.txt" plain.jsonl >masked.jsonl
train --task pretrain -m causal --steps 1 -o no masked.jsonl
[ ! -e no ] && echo 'nothing was written'
