#!/bin/sh
# Sentence vectors learn which texts belong together; the model is a directory of sentence-transformers.
awk 'BEGIN {
  split("king queen film story book music love light", word)
  for (i = 1; i <= 8; ++i) for (k = 1; k <= 8; ++k)
    printf "{\"text\":\"the %s %s\",\"text_pair\":\"%s is the %s\"}\n", word[i], word[k], word[k], word[i]
}' >pairs.jsonl
learn() { bert-train --task embed -m "$MODELS/bare" --batch-size 16 --lr 3e-3 --epochs 12 --dims 4 -q "$@"; }
learn --accumulate 2 --dev pairs.jsonl --best mrr -o model pairs.jsonl >log
sed -n 's/.*dev_loss.*dev_mrr":\([0-9.]*\)}/\1/p' log | awk 'NR == 1 { first = $1 } END { print ($1 > first && $1 > 0.9 ? "learned" : "not learned") }'
find model -type f ! -path '*checkpoints*' | LC_ALL=C sort
cat model/modules.json model/1_Pooling/config.json model/sentence_bert_config.json model/config_sentence_transformers.json
grep -A 1 architectures model/config.json
bert-convert --info model | tr ',' '\n' | grep -A 3 pooling
head -n 1 pairs.jsonl | bert-embed -m model --keep embedding | tr -d '[]}' | sed 's/.*://' | tr , '\n' |
  awk '{ sum += $1 * $1 } END { printf "%d numbers, length %.5f\n", NR, sqrt(sum) }'
bert-train --task embed -m model --steps 0 --dev pairs.jsonl | grep -c recall_at_10
# Resumed, and from a checkpoint with its pooling.
bert-train --task embed -m "$MODELS/bare" --batch-size 8 --pooling cls --dropout 0.1 --steps 6 --save-every 3 -q -o whole pairs.jsonl >/dev/null
cp -r whole part
rm -r part/checkpoints/step-00000006
bert-train --task embed -m "$MODELS/bare" --batch-size 8 --pooling cls --dropout 0.1 --steps 6 --save-every 3 -q --resume -o part pairs.jsonl >/dev/null
cmp whole/model.safetensors part/model.safetensors && echo same
bert-convert --info whole/checkpoints/step-00000003 | tr ',' '\n' | grep -A 1 pooling
# Dev records with a label.
printf '{"text":"the king","text_pair":"the king","label":1}\n{"text":"love","text_pair":"book","label":0}\n{"text":"the king","text_pair":"the queen","label":0.5}\n' >scored.jsonl
bert-train --task embed -m model --steps 0 --dev scored.jsonl | sed 's/:[-0-9.e]*/:N/g'
bert-train --task embed -m model --steps 2 -q --dev scored.jsonl -o scored scored.jsonl | sed 's/:[-0-9.e]*/:N/g'
# Texts alone.
bert-train --task embed -m model --dropout 0.1 --steps 2 -q -o alone <scored.jsonl >log
sed 's/"text_pair".*"label"/"label"/' scored.jsonl | bert-train --task embed -m model --dropout 0.1 --steps 1 -q -o texts | sed 's/:[-0-9.e]*/:N/g'
