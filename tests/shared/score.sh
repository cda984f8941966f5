#!/bin/sh
# bert-score gives the official metrics for real systems' SQuAD predictions to the last digit, and counts the
# entities of CoNLL-2003, whose tags are IOB1.
# Usage: score.sh TOOLS_DIRECTORY SHARED
set -u
PATH=$1:$PATH
shared=${BERT_SHARED:-$2}
[ -d "$shared" ] || { echo "skipped: ../shared is absent"; exit 0; }
command -v xz >/dev/null || { echo "skipped: xz is absent"; exit 0; }
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
failed=0 count=0

# same NAME EXPECTED GOT
same() {
  count=$((count + 1))
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\nexpected %s\ngot      %s\n' "$1" "$2" "$3"
  failed=1
}

for version in 1.1 2.0; do
  xz -dc "$shared/data/tasks/squad-dev-v$version.json.xz" >"$directory/dev-$version.json"
done

# Rows of the table: | name | exact | F1 | has-answer EM / F1 | no-answer |
sed -n 's/^| \(squad-[^ ]*\) *| */\1 /p' "$shared/golden/README.md" | tr -d '|' | tr '/' ' ' >"$directory/table"
while read -r name exact f1 has_exact has_f1 no_answer; do
  version=${name#squad-} version=${version%%-*}
  expected="\"exact_match\":$exact,\"f1\":$f1"
  [ -z "$has_exact" ] || expected="$expected,\"has_answer_exact_match\":$has_exact,\"has_answer_f1\":$has_f1"
  [ -z "$no_answer" ] || expected="$expected,\"no_answer_exact_match\":$no_answer,\"no_answer_f1\":$no_answer"
  xz -dc "$shared/golden/squad_predictions/$name.json.xz" >"$directory/$name.json"
  got=$(bert-score -q --task answer --gold "$directory/dev-$version.json" "$directory/$name.json")
  same "$name" "$expected" "$(echo "$got" | sed 's/^{"records":[0-9]*,//; s/}$//')"
done <"$directory/table"

# The gold tags compared with themselves: the entity counts match Tjong Kim Sang and De Meulder (2003), none
# is wrong.
tar -xJf "$shared/data/tasks/conll2003.tar.xz" -C "$directory"
awk 'NF { print $0, $4; next } { print }' "$directory/eng.testa" >"$directory/testa.conll"
got=$(bert-score --task tag --metric types "$directory/testa.conll" | tr '{}' '\n\n' |
  sed -n 's/.*"f1":1,"gold":\([0-9]*\),"predicted":\1$/\1/p' | tr '\n' ' ')
same "CoNLL-2003 LOC MISC ORG PER" "1837 922 1341 1842 " "$got"
echo "$count comparisons"
[ "$count" = 6 ] || { echo "FAILED: expected 6"; failed=1; }
exit $failed
