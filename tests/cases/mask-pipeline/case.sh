#!/bin/sh
# Text to ids, masks and predictions; masked tokens can be restored.
printf 'the old king had a long story to tell that night\na good day\n' >in.txt
bert-tokenize -m "$MODELS/masked-lm" in.txt >ids.jsonl
bert-mask -m "$MODELS/masked-lm" --mask-prob 0.3 --whole-word --mask-rate 1 --random-rate 0 ids.jsonl >masked.jsonl
cut -d '}' -f 1 masked.jsonl
bert-predict -m "$MODELS/masked-lm" --task fill --drop candidates,text masked.jsonl |
  sed 's/.*"masked_lm_positions"/"masked_lm_positions"/; s/"prediction":\[[^]]*/&/' | awk -F '"prediction":' '{
    hidden = split($1, place, ",") ; print gsub(/"[^"]*"/, "", $2) " answers" }'
bert-tokenize -m "$MODELS/masked-lm" --decode --drop input_ids,masked_lm_positions,masked_lm_ids masked.jsonl
