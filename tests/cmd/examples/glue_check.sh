#!/bin/sh
# Checks a submission against the format that the leaderboard of GLUE publishes: a zip file with exactly the 11
# files below, each with the header line "index<TAB>prediction" and one line for each line of the test set, with
# its index and a label of the task; for STS-B a number from 0 to 5. Independent of glue.mk and glue.awk.
# Usage: glue_check.sh SUBMISSION.zip GLUE_DIRECTORY
set -eu
zip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
glue=$(cd "$2" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unzip -q "$zip" -d "$folder"
cd "$folder"
failed=0
complain() { echo "FAILED: $1" >&2; failed=1; }

expected='AX.tsv CoLA.tsv MNLI-m.tsv MNLI-mm.tsv MRPC.tsv QNLI.tsv QQP.tsv RTE.tsv SST-2.tsv STS-B.tsv WNLI.tsv'
found=$(find . -type f | sed 's|^\./||' | LC_ALL=C sort | paste -s -d ' ')
[ "$found" = "$expected" ] || complain "the files are $found, expected $expected"

# check NAME TEST-FILE LABELS: LABELS is an extended regular expression.
check() {
  [ -f "$1.tsv" ] || return 0
  [ "$(head -n 1 "$1.tsv")" = "$(printf 'index\tprediction')" ] || complain "$1.tsv has another header line"
  cut -f 1 "$glue/$2" | tail -n +2 | tr -d '\r' >indices
  tail -n +2 "$1.tsv" | cut -f 1 | cmp -s - indices || complain "$1.tsv has other indices than $2"
  tail -n +2 "$1.tsv" | grep -vxE "[0-9]+	($3)" >bad && complain "$1.tsv: $(head -n 1 bad)"
  rm -f indices bad
}
nli='entailment|neutral|contradiction'
for task in CoLA SST-2 MRPC QQP WNLI; do check $task $task/test.tsv '0|1'; done
for task in QNLI RTE; do check $task $task/test.tsv 'entailment|not_entailment'; done
check STS-B STS-B/test.tsv '[0-4](\.[0-9]+)?|5(\.0+)?'
check MNLI-m MNLI/test_matched.tsv "$nli"
check MNLI-mm MNLI/test_mismatched.tsv "$nli"
check AX diagnostic/diagnostic.tsv "$nli"
exit $failed
