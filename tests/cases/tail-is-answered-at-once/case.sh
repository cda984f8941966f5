# The second line is written only after the first has been answered.
mkfifo in out
bert-tokenize -m "$MODELS/pretraining" --format tokens <in >out &
exec 3>in 4<out
echo 'a day' >&3
read -r answer <&4 && echo "$answer"
echo 'the man' >&3
read -r answer <&4 && echo "$answer"
exec 3>&-
wait $!
