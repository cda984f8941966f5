#!/bin/sh
# A vocabulary learned on nine of every ten novels in ../shared, evaluated on the tenth: almost no word is
# unknown, and there are fewer tokens than with BERT's released vocabulary of the same size. Threads make no
# difference.
# Usage: vocab.sh TOOLS_DIRECTORY SHARED
set -u
PATH=$1:$PATH
shared=${BERT_SHARED:-$2}
[ -d "$shared" ] || { echo "skipped: ../shared is absent"; exit 0; }
command -v xz >/dev/null || { echo "skipped: xz is absent"; exit 0; }
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
xz -dc "$shared/data/corpus/english_novels.tar.xz" | tar xf - -C "$directory" || exit 1
cd "$directory" || exit 2
mkdir held-out
find english_novels -name '*.txt' | LC_ALL=C sort | awk 'NR % 10 == 0' | xargs -I{} mv {} held-out
failed=0
fail() { echo "FAILED: $1"; failed=1; }

# stats VOCAB: number of tokens and of unknown tokens in the held-out books.
stats() {
  bert-tokenize --vocab "$1" --uncased --stats --input-format file held-out/*.txt |
    sed 's/.*"tokens":\([0-9]*\),"unknown":\([0-9]*\).*/\1 \2/'
}

released=$(stats "$shared/data/vocab/bert-base-uncased/vocab.txt")
for criterion in likelihood frequency; do
  bert-vocab -j 1 --criterion $criterion --input-format file -o $criterion.txt english_novels/*.txt || fail "$criterion"
  bert-vocab -j 2 --criterion $criterion english_novels/*.txt | cmp - $criterion.txt || fail "$criterion with two threads"
  learned=$(stats $criterion.txt)
  echo "$criterion: $learned tokens and unknown ones of $(wc -l <$criterion.txt) pieces; released: $released"
  [ "$(wc -l <$criterion.txt)" = 30522 ] || fail "the size of $criterion"
  [ "${learned% *}" -lt "${released% *}" ] || fail "$criterion needs more tokens than the released vocabulary"
  [ $((${learned#* } * 100000)) -lt "${learned% *}" ] || fail "$criterion leaves too many words unknown"
done
exit $failed
