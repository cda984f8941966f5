printf 'a day\n' | bert-tokenize -m "$MODELS/pretraining" --format ids -o out && cat out
printf '{"text":"a"}\n{"text":1}\n' | bert-tokenize -m "$MODELS/pretraining" --format ids -o failed
echo "exit $?"
ls
