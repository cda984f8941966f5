#!/bin/sh
# Order across threads, a reader that exits early, a full disk, a huge line, a slow writer that is answered at
# once.
awk 'BEGIN { for (i = 0; i < 200000; i++) print i, "the cat sang" }' >many
for threads in 1 2 3; do
  bert-tokenize -m "$MODELS/bare" -j $threads many >out.$threads
done
cmp out.1 out.2 && cmp out.1 out.3 && wc -l <out.1
cat many | bert-tokenize -m "$MODELS/bare" | cmp - out.1

bert-tokenize -m "$MODELS/bare" many | head -n 1

bert-tokenize -m "$MODELS/bare" many >/dev/full
echo "exit $?"
bert-tokenize -m "$MODELS/bare" -o out many && cmp out out.1

awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "the sound "; print ""; print "end" }' |
  bert-tokenize -m "$MODELS/bare" --format ids | awk '{ print NF }'
head -c 10000000 /dev/zero | tr '\0' a | bert-tokenize -m "$MODELS/bare" --format tokens

mkfifo questions answers
bert-tokenize -m "$MODELS/bare" --format tokens <questions >answers &
exec 3>questions 4<answers
for line in 'the cat' 'the dog'; do
  echo "$line" >&3
  read -r answer <&4
  echo "$answer"
done
exec 3>&-
wait $!
