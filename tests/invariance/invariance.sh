#!/bin/sh
# Output bytes do not depend on threads, batches, neighbouring records or shards.
# Usage: invariance.sh TOOLS_DIRECTORY FORM TOOL MODEL [OPTION...]
#
# FORM says how to turn the output into one line per record without its position: jsonl, google, or rows:N for
# N f32 per record (npy:N after NumPy's header). The records are generated from the models' vocabulary: some
# are empty, some longer than the model's maximum, some contain [MASK], and every third is a pair (all for the
# models next and rank; for tag none; for choose none, but two to four choices each; for answer a question and its context). index.jsonl
# has vectors for bert-search.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$1" && pwd) form=$2 tool=$3 model=$here/../golden/models/$4
shift 4
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
records=61

run() { "$tools/$tool" -q -m "$model" --input-format jsonl "$@"; }

lines() {
  case $form in
  jsonl) cat ;;
  google) sed 's/^{"linex_index": [0-9]*, //' ;;
  npy:*) tail -c +129 | od -An -v -tx4 -w$((4 * ${form#*:})) ;;
  rows:*) od -An -v -tx4 -w$((4 * ${form#*:})) ;;
  esac
}

# output INPUT OPTION...: npy needs a file.
output() {
  input=$1
  shift
  rm -f out
  run -o out "$@" "$input"
  cat out
}

compare() {
  cmp "$1" "$2" && return
  echo "$tool -m $4 $5: the output changes with $3" >&2
  exit 1
}

case $(basename "$model") in next | rank) every=1 ;; *) every=3 ;; esac
awk -v records="$records" -v every="$every" -v kind="$(basename "$model")" '
  function number(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
  function text(words, i, made) {
    for (i = 0; i < words; i++) made = made (i ? " " : "") (number(9) ? word[number(count)] : "[MASK]")
    return made
  }
  function choices(n, made) {
    made = ",\"question\":\"" text(number(5)) "\",\"choices\":[\"" text(number(9))
    while (--n) made = made "\",\"" text(number(n == 2 ? 60 : 9))
    return made "\"]"
  }
  FNR == 1 { seed = 7 }
  /^[a-z]+$/ { word[count++] = $0 }
  END {
    for (i = 0; i < records; i++) {
      pair = i % every == 0 && kind != "tag"
      first = text(number(i % 5 == 1 && !pair && kind != "choose" ? 90 : 14))
      rest = pair ? ",\"text_pair\":\"" text(number(i % 2 ? 60 : 9)) "\"" : ""
      if (kind == "choose") rest = choices(2 + i % 3)
      if (kind == "answer") rest = ",\"context\":\"" text(number(i % 2 ? 90 : 9)) "\",\"question\":\"" text(number(9)) "\""
      printf "{\"text\":\"%s\"%s}\n", first, rest
    }
  }' "$here/../golden/models/bare/vocab.txt" >input

# An index for bert-search, as wide as the models sentence-old and sharded.
awk 'BEGIN {
  for (row = 0; row < 500; row++) {
    for (i = 0; i < 24; i++) printf "%s%d", i ? "," : "{\"embedding\":[", (row * 31 + 17) * (i * 7 + 3) % 101 - 50
    print "]}"
  }
}' >index.jsonl

name=$(basename "$model") options=$*
if ! run -o out "$@" /dev/null 2>said && grep -q 'does not multiply bf16' said; then
  echo 'skipped: this processor does not multiply bf16'
  exit 77
fi
output input -j 1 "$@" >expected
lines <expected >expected.lines
[ "$(wc -l <expected.lines)" = $records ] || { echo "found $(wc -l <expected.lines) of $records records" >&2; exit 1; }

for threads in 2 3; do
  output input -j $threads "$@" >found
  compare expected found "-j $threads" "$name" "$options"
done
for tokens in 1 7 64 4096; do
  output input -j 2 --batch-tokens $tokens "$@" >found
  compare expected found "--batch-tokens $tokens" "$name" "$options"
done

# Line k of the permuted input is line 23 k mod 61; sorting by that number restores the order.
awk '{ line[NR - 1] = $0 } END { for (k = 0; k < NR; k++) print (23 * k) % NR "\t" line[(23 * k) % NR] }' input >permuted
cut -f 2- permuted >permuted.records
output permuted.records "$@" | lines >found
cut -f 1 permuted | paste - found | sort -n | cut -f 2- >found.sorted
compare expected.lines found.sorted "the order of the input" "$name" "$options"

split -l 9 input shard.
for shard in shard.*; do output "$shard" "$@" | lines; done >found
compare expected.lines found "shards" "$name" "$options"

head -n 20 input | while IFS= read -r record; do
  printf '%s\n' "$record" >one
  output one -j 2 "$@" | lines
done >found
head -n 20 expected.lines >expected.head
compare expected.head found "a record's neighbours" "$name" "$options"
