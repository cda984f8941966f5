# Each task, selected by the model's architecture, for texts and pairs.
predict() {
  echo "-- $*"
  model=$1
  shift
  bert-predict -m "$MODELS/$model" --precision 3 --drop text,text_pair "$@" records.jsonl
}
cat >records.jsonl <<'END'
{"id":1,"text":"the [MASK] king","text_pair":"said the queen"}
{"id":2,"text":"a good [MASK] and a [MASK]","text_pair":""}
END
predict masked-lm --top-k 2
predict pretraining --top-k 1
predict pretraining --task next
predict next
predict classify
predict regress
predict multilabel
predict multilabel --threshold 0
predict multilabel --threshold 1
predict rank
predict rank-legacy
predict regress --task rank
