# Tasks that do not match the model or the record.
ln -s "$MODELS" models
try() {
  echo 'the old king' | bert-predict "$@"
  echo "exit $?"
}
try -m models/bare --task guess
try -m models/bare
try -m models/bare --task tag
try -m models/answer
try -m models/bare --task answer
try -m models/bare --task choose
try -m models/choose
try -m models/bare --task fill
try -m models/bare --task next
try -m models/bare --task perplexity
try -m models/bare --task classify
try -m models/classify --task regress
try -m models/classify --task rank
try -m models/regress --task classify
try -m models/next
try -m models/classify --top-k 0
try -m models/multilabel --threshold 1.5
echo '-- options of other tasks'
for option in --top-k=3 --threshold=0.9 --aggregate=max --stride=8 --n-best=3 --no-answer-threshold=1; do
  echo text | bert-predict -m "$MODELS/classify" $option 2>&1 | head -n 1
done
echo '-- formats of other tasks'
try -m models/classify --format squad
try -m models/classify --format conll
try -m models/tag --format npy
