# --format npy, npy-f16 and f32 write the numbers of each prediction as a row.
printf '%s\n' '{"text":"the king","text_pair":"was old"}' '{"text":"old","text_pair":"a river"}' >pairs.jsonl
printf '%s\n' '{"text":"a man","choices":["is old","reads","swims"]}' '{"text":"he","choices":["is","was","has"]}' >choices.jsonl
floats() { od -An -v -w"$1" -tf4 | awk '{ for (i = 1; i <= NF; ++i) printf "%.3f%s", $i, i < NF ? " " : "\n" }'; }
rows() {  # rows COLUMNS ARGUMENT...
  columns=$1 && shift
  bert-predict --format f32 "$@" | floats $((4 * columns))
}
echo '--- the same numbers as in records'
bert-predict -m "$MODELS/classify" --precision 3 --format tsv --keep scores pairs.jsonl
rows 3 -m "$MODELS/classify" pairs.jsonl
bert-predict -m "$MODELS/multilabel" --precision 3 --format tsv --keep scores pairs.jsonl
rows 4 -m "$MODELS/multilabel" pairs.jsonl
bert-predict -m "$MODELS/next" --precision 3 --format tsv --keep scores pairs.jsonl
rows 2 -m "$MODELS/next" pairs.jsonl
bert-predict -m "$MODELS/choose" --precision 3 --keep scores choices.jsonl
rows 3 -m "$MODELS/choose" choices.jsonl
# Instruction sets differ in the seventh digit of a perplexity.
digits() { awk '/[0-9]/ { printf "%.5g\n", $1; next } 1'; }
for task in regress rank perplexity; do
  model=$task && [ $task = perplexity ] && model=masked-lm
  bert-predict -m "$MODELS/$model" --task $task --precision 3 --format tsv --keep prediction pairs.jsonl | digits
  rows 1 -m "$MODELS/$model" --task $task pairs.jsonl | digits
done
echo '--- npy: the shape, then the same bytes'
shape() { head -c 127 "$1" | tail -c +11 | sed 's/ *$//' && echo; }
bert-predict -m "$MODELS/classify" --format npy -o classify.npy pairs.jsonl && shape classify.npy
bert-predict -m "$MODELS/classify" --format f32 pairs.jsonl >classify.f32 && tail -c +129 classify.npy | cmp - classify.f32
bert-predict -m "$MODELS/choose" --format npy -o choose.npy choices.jsonl && shape choose.npy
bert-predict -m "$MODELS/classify" --format npy-f16 -o half.npy pairs.jsonl && shape half.npy && wc -c <half.npy
: | bert-predict -m "$MODELS/classify" --format npy -o none.npy && shape none.npy
: | bert-predict -m "$MODELS/choose" --format npy -o none.npy && shape none.npy
echo '--- the number of choices differs'
sed '1!s/,"has"//' choices.jsonl >differ.jsonl
rows 3 -m "$MODELS/choose" differ.jsonl
rows 3 -m "$MODELS/choose" --on-error skip differ.jsonl choices.jsonl
echo '--- refused'
printf '\n' | bert-predict -m "$MODELS/masked-lm" --task perplexity --format f32
for model in masked-lm tag answer; do
  bert-predict -m "$MODELS/$model" --format f32 pairs.jsonl
  echo "exit $?"
done
bert-predict -m "$MODELS/classify" --format npy pairs.jsonl | cat
echo "exit $?"
bert-predict -m "$MODELS/classify" --format f32 --keep id pairs.jsonl
echo "exit $?"
