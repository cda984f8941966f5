# Vectors say what they were computed with; a query for vectors of another model, pooling, length or prompt is
# refused, and so is a mixture. Copies of a model, other number formats and unknown vectors are accepted.
printf 'the old king\na good film\n' >texts.txt
echo 'an old king' >query.txt
try() {
  bert-search -k 1 --keep text,neighbors --precision 2 "$@"
  echo "exit $?"
}
embed() { bert-embed -m "$MODELS/pretraining" "$@" texts.txt; }
embed >index.jsonl
jq -c .embedding_model index.jsonl
cp -r "$MODELS/pretraining" copy
echo "the same model:"
try -m copy --index index.jsonl query.txt
try -m copy --dtype int8 --index index.jsonl query.txt
bert-embed -m copy query.txt | try --index index.jsonl
echo "another model:"
BERT_MODEL=$MODELS/classify try --index index.jsonl query.txt
bert-embed -m "$MODELS/classify" query.txt | try --index index.jsonl
bert-embed -m "$MODELS/classify" query.txt | try --index index.jsonl --on-error skip
sed 's/^king$/queen2/' "$MODELS/pretraining/vocab.txt" >copy/vocab.txt
try -m copy --index index.jsonl query.txt
echo "an unknown model:"
embed --drop embedding_model >unknown.jsonl
sed 's/}$/,"embedding_model":"text-embedding-9"}/' unknown.jsonl >foreign.jsonl
for index in unknown foreign; do try -m copy --index $index.jsonl query.txt; done
echo "another pooling or length:"
model="-m $MODELS/pretraining"
try $model --pooling cls --index index.jsonl query.txt
embed --layers 1,-1 --combine mean >layers.jsonl
try $model --index layers.jsonl query.txt
try $model --max-length 16 --index index.jsonl query.txt
try $model --max-length 20 --index index.jsonl query.txt
embed --max-length 20 >short.jsonl
try $model --index short.jsonl query.txt
try $model --max-length 20 --index short.jsonl query.txt
echo "mixtures:"
cat index.jsonl short.jsonl >mixed.jsonl
try $model --index mixed.jsonl query.txt
bert-search --pairs 0.9 mixed.jsonl
bert-search --dedup 2 --metric l2 mixed.jsonl | jq -r .text
bert-search --cluster 2 mixed.jsonl
bert-search $model --pooling cls --dedup 1 index.jsonl query.txt >/dev/null
