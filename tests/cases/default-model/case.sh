#!/bin/sh
# Without -m: $BERT_MODEL, else the default model, which is found relative to the tool, following links.
mkdir -p moved/bin moved/share/bert
for tool in bert-predict bert-tokenize bert-train bert-embed; do cp "$(command -v $tool)" moved/bin; done
{
  echo 'The room was [MASK].' | moved/bin/bert-predict
  echo 'The room was [MASK].' | moved/bin/bert-tokenize
  moved/bin/bert-train --task classify
  echo king | moved/bin/bert-embed
} 2>&1 | sed "s|$(pwd -P)|HERE|"
ln -s "$MODELS/masked-lm" moved/share/bert/default-model
ln -s moved/bin/bert-predict linked
for tool in moved/bin/bert-predict ./linked; do echo 'The room was [MASK].' | $tool --top-k 1 --precision 3; done
echo 'The room was [MASK].' | BERT_MODEL="$MODELS/classify" moved/bin/bert-predict --precision 3
echo 'The room was [MASK].' | BERT_MODEL='' moved/bin/bert-predict -m "$MODELS/classify" --precision 3

unset BERT_MODEL
tab=$(printf '\t')
printf '%s\n' 'It was a dark and [MASK] night.' 'She shook her [MASK].' 'He put his [MASK] into his pocket.' |
  bert-predict --top-k 3 | sed 's/,"candidates.*/}/'
first='The captain looked at the sea. The storm had driven the ship far to the south.'
for second in 'The sailors stood silent on the deck, and the wind still tore at the sails of the ship.' \
  '"My dear Mary," said her aunt, "you will marry him or leave this house."'; do
  printf '%s\n' "text${tab}text_pair" "$first$tab$second" | bert-predict --input-format tsv --task next --precision 1 --drop text
done
echo 'It was the best of times.' | bert-tokenize --tokens
echo 'It was the best of times.' | bert-embed --dim 3 --precision 1
printf '%s\n' '{"text":"good","label":"yes"}' '{"text":"bad","label":"no"}' >train.jsonl
bert-train --task classify --epochs 1 --out classifier train.jsonl >log && ls classifier
echo good | bert-predict -m classifier | sed 's/:[^:]*"scores.*/: .../'
# Sentence vectors are trained from the default model for them.
printf '%s\n' '{"text":"good","text_pair":"fine"}' '{"text":"bad","text_pair":"poor"}' >pairs.jsonl
bert-train --task embed --steps 1 --out vectors pairs.jsonl >log
bert-convert --info vectors | grep -o '"num_hidden_layers":[0-9]*'
for model in default-model default-vectors; do bert-convert --info "$CASE/../../../cmd/share/$model"; done
# The vectors of near texts are near.
printf '%s\n' 'The ship sails over the sea.' 'The king spoke to the queen.' >texts
bert-embed -o vectors.jsonl texts
echo 'A queen and her king.' | bert-search --index vectors.jsonl --with text -k 1 --precision 1
