# A text without the mask token has no prediction, which a note says at the end.
fill() { bert-predict --task fill --top-k 1 --keep text,prediction "$@"; echo "exit $?"; }
printf 'the king\nthe [mask] is old\nthe [MASK] is old\nold\n' >texts.txt
fill -m "$MODELS/masked-lm" texts.txt
fill -m "$MODELS/masked-lm" --overflow truncate texts.txt
sed 3q texts.txt | tail -n 1 | fill -m "$MODELS/masked-lm"
fill -m "$MODELS/masked-lm" --quiet texts.txt
bert-tokenize -m "$MODELS/masked-lm" --drop text texts.txt | fill -m "$MODELS/masked-lm"
