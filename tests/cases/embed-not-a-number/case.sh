# A NaN in the weights, here in the word embedding of "queen", is an error of the records that use it, in
# every format.
mkdir model
cp "$MODELS"/classify/* model
chmod u+w model/*
header=$(od -An -tu4 -N4 model/model.safetensors | tr -d ' ')
begin=$(head -c $((8 + header)) model/model.safetensors | grep -ao 'word_embeddings.weight":{[^}]*' | sed 's/.*data_offsets": *\[\([0-9]*\).*/\1/')
queen=$(($(grep -nx queen model/vocab.txt | cut -d : -f 1) - 1))
printf '\000\000\300\177' | dd of=model/model.safetensors bs=1 seek=$((8 + header + begin + queen * 24 * 4)) conv=notrunc 2>dd.log
printf 'king\nqueen\nold\n' >texts
echo "$(bert-embed -m model --format f32 --on-error skip texts | wc -c) bytes are $((24 * 4)) for each of two texts"
bert-embed -m model --dim 1 --precision 2 --format tsv --on-error skip texts
bert-embed -m model --layers -1 --format google --on-error skip texts | cut -c 1-30
bert-embed -m model --dim 1 --precision 2 texts
echo "exit $?"
bert-embed -m model --dim 1 --precision 2 --pooling none --on-error skip --drop tokens texts
bert-predict -m model --precision 2 --on-error skip texts
for model in answer masked-lm; do
  mkdir $model
  cp "$MODELS/$model"/* $model
  chmod u+w $model/*
  header=$(od -An -tu4 -N4 $model/model.safetensors | tr -d ' ')
  begin=$(head -c $((8 + header)) $model/model.safetensors | grep -ao 'encoder.layer.0.output.dense.bias":{[^}]*' | sed 's/.*data_offsets": *\[\([0-9]*\).*/\1/')
  printf '\000\000\200\377' | dd of=$model/model.safetensors bs=1 seek=$((8 + header + begin)) conv=notrunc 2>dd.log
done
echo '{"question":"who","context":"the king"}' | bert-predict -m answer
echo 'the [MASK]' | bert-predict -m masked-lm
