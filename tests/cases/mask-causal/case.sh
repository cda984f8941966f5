#!/bin/sh
# --causal: nothing is masked, each token predicts the next one; options of masking are usage errors.
cat >records.jsonl <<'END'
{"input_ids":[2,92,204,3,92,205,3],"token_type_ids":[0,0,0,0,1,1,1],"tokens":["a","b","c","d","e","f","g"]}
{"input_ids":[2,3],"document":1,"instance":0}
{"input_ids":[2]}
{"input_ids":[]}
END
bert-mask -m "$MODELS/bare" --causal records.jsonl
for seed in 1 2; do bert-mask -q -m "$MODELS/bare" --causal --seed $seed --epoch $seed records.jsonl | cksum; done | uniq | wc -l
# A vocabulary without ordinary tokens has no random tokens to offer, and needs none.
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n' >vocab.txt
echo '{"input_ids":[2,1,1,3]}' | bert-mask --vocab vocab.txt --causal
for option in '--mask-prob 0.2' '--max-predictions 3' '--mask-rate 0.5' '--random-rate 0' --whole-word --replace-any; do
  bert-mask -m "$MODELS/bare" --causal $option records.jsonl || echo "exit $?"
done
