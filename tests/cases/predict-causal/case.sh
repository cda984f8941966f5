#!/bin/sh
# A causal model: no token depends on those after it; sentence heads and the pooler read the last token.
m=$MODELS/causal
vectors() { bert-embed -m "$m" --pooling none --precision 4 --format tsv "$@"; }
echo 'the old king could not find' >long
echo 'the old king' >short
vectors long | head -n 4 >first
vectors short | head -n 4 | cmp - first && echo 'the vectors of a prefix are equal'
# The first token is the same in all texts, the last one is not.
printf 'the king\na queen of France\n' | bert-embed -m "$m" --pooling cls --keep embedding | uniq | wc -l
printf 'the king\na queen of France\n' | bert-embed -m "$m" --pooling pooler --keep embedding | uniq | wc -l
for text in 'the [MASK]' 'the [MASK] and the queen of [MASK]'; do
  echo "$text" | bert-predict -m "$m" --task fill --top-k 1 --precision 2
done
echo '{"input_ids":[4,20,3]}' | bert-predict -m "$m" --task fill
echo '{"input_ids":[20,4,20,3]}' | bert-predict -m "$m" --task fill --top-k 1 --precision 2
for text in 'the old king could not find his book.' ''; do
  echo "$text" | bert-predict -m "$m" --task perplexity --precision 0
done
bert-convert "$m" --out copy && grep is_decoder copy/config.json
bert-convert copy --info | grep -o '"is_decoder":true'
