#!/bin/sh
# Options and records that do not fit the training of sentence vectors.
train() {
  rm -rf out
  bert-train --task embed -m "$MODELS/bare" --steps 1 --log-every 9 -o out "$@" >/dev/null
}
printf '{"text":"the king","text_pair":"a king"}\n{"text":"a"}\n' >pairs.jsonl
printf '{"text":"the king"}\n' >texts.jsonl
printf '{"text":"a","text_pair":"b"}\n{"text":"a","text_pair":"b","label":1}\n' >mixed.jsonl
train --dropout 0 texts.jsonl
train pairs.jsonl
train --loss cosent pairs.jsonl
train --loss triplet pairs.jsonl
train --loss triplet --dims 4 pairs.jsonl
train --loss triplet --scale 3 pairs.jsonl
train --loss cosine --scale 3 pairs.jsonl
train --margin 1 pairs.jsonl
train --dims 999 pairs.jsonl
train --best f1 --dev mixed.jsonl texts.jsonl
train --labels a,b pairs.jsonl
train --freeze all texts.jsonl
train --freeze 2 texts.jsonl
bert-train --task classify -m "$MODELS/bare" --steps 1 -o out --pooling cls pairs.jsonl
printf 'text\ttext_par\na\tb\n' >pairs.tsv
train --pair-field text_pair pairs.tsv
train --dev mixed.jsonl texts.jsonl
rm -rf out
bert-train --task embed -m "$MODELS/sentence-new" --steps 1 -o out mixed.jsonl
ls
