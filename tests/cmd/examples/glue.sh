#!/bin/sh
# glue.mk reads the files of the GLUE benchmark with their quirks, trains the settings that it is asked for, and
# makes a submission in the leaderboard's format.
# Usage: glue.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash flock zip unzip
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
trace "$tools" train predict score
: >log

# ---- Readers. same TASK PART: the table that glue.awk makes of the input equals the file expected.
read_task() { LC_ALL=C awk -v task="$1" -v part="$2" -f "$examples/glue.awk" - >table 2>log; }
same() {
  read_task "$1" "$2" <input || fail "$1 $2 is refused"
  cmp table expected || fail "$1 $2 is read as: $(cat table)"
}
refused() {
  LC_ALL=C awk -v task="$1" -v part="$2" -f "$examples/glue.awk" input >table 2>log && fail "accepted: $1 $2 $(cat input)"
  grep -qF -e "$3" log || fail "does not say: $3"
}

# CoLA: no header line, quotes are ordinary characters, the last line may lack its newline.
printf 'a1\t1\t\tShe said "hello.\nb2\t0\t*\tThe king is the it.' >input
printf 'id\ttext\tlabel\n0\tShe said "hello.\t1\n1\tThe king is the it.\t0\n' >expected
same CoLA train
same CoLA dev
printf 'index\tsentence\n7\t"She said."\n' >input
printf 'id\ttext\n7\t"She said."\n' >expected
same CoLA test
printf 'sentence\tlabel\nold king \t0\n"\t1\n' >input
printf 'id\ttext\tlabel\n0\told king \t0\n1\t"\t1\n' >expected
same SST-2 dev

# MRPC: a byte order mark, CRLF, and an odd number of quotation marks.
printf '\357\273\277Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t5\t6\t" Yes , he said .\tHe said " yes " .\r\n' >input
printf 'id\ttext\ttext_pair\tlabel\n0\t" Yes , he said .\tHe said " yes " .\t1\n' >expected
same MRPC train
printf 'id\ttext\ttext_pair\n0\t" Yes , he said .\tHe said " yes " .\n' >expected
same MRPC test

printf 'index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n3\tg\tf\t2026\t09\tx\ty\tA cat.\tA dog.\t2.600\n' >input
printf 'id\ttext\ttext_pair\tlabel\n3\tA cat.\tA dog.\t2.600\n' >expected
same STS-B dev
for score in -1 5.01 12 many ''; do
  printf 'index\tsentence1\tsentence2\tscore\n3\tA cat.\tA dog.\t%s\n' "$score" >input
  refused STS-B train "input:2: column score: found \"$score\", expected a number from 0 to 5"
done
printf 'index\tsentence1\tsentence2\tscore\n3\tA\tB\t5.000\n4\tA\tB\t0\n' >input
printf 'id\ttext\ttext_pair\tlabel\n3\tA\tB\t5.000\n4\tA\tB\t0\n' >expected
same STS-B train
printf 'a1\t2\t\tShe said.\n' >input
refused CoLA dev 'input:1: column 2: found "2", expected one of 0,1'
printf 'Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\nyes\t5\t6\tA\tB\n' >input
refused MRPC dev 'input:2: column Quality: found "yes", expected one of 0,1'

# Test sets: blank lines at the end are no rows, other lines need all columns.
printf 'index\tsentence1\tsentence2\r\n5\tA.\tB.\r\n\r\n\n' >input
printf 'id\ttext\ttext_pair\n5\tA.\tB.\n' >expected
same STS-B test
printf 'index\tsentence1\tsentence2\n5\tA.\tB.\n\n6\tA.\tB.\n' >input
refused RTE test 'input:3: the line is blank, expected 3 columns'
printf 'index\tsentence1\tsentence2\n5\tA.\tB.\n6\tA.\n' >input
refused WNLI test 'input:3: found 2 columns, expected 3'
printf 'index\tsentence1\tsentence2\n5\tA.\tB.\tC.\n' >input
refused STS-B test 'input:2: found 4 columns, expected 3'
printf 'index\tsentence\n\tA.\n' >input
refused SST-2 test 'input:2: column index: found "", expected an index'

# QQP: a question with a line end makes two broken lines; an empty question is allowed; tests are complete.
printf 'id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\t3\tWho?\tWhat?\t0\n4\t5\t6\tWho is\n it?\tWho?\t1\n7\t8\t9\t\tWho?\t1\n' >input
printf 'id\ttext\ttext_pair\tlabel\n1\tWho?\tWhat?\t0\n7\t\tWho?\t1\n' >expected
same QQP train
grep -q 'skipped lines with other than 6 columns: 2' log || fail "does not count the broken lines"
printf 'id\tquestion1\tquestion2\n0\tWho?\tWhat?\n1\tWho\n' >input
printf 'id\ttext\ttext_pair\n0\tWho?\tWhat?\n1\tWho\t\n' >expected
same QQP test
grep -q 'lines with other than 3 columns: 1' log || fail "does not count the short lines"

# MNLI: columns by name, pairs without a gold label are skipped.
printf 'index\tgenre\tsentence1\tsentence2\tlabel1\tgold_label\n0\tg\tA.\tB.\tneutral\tneutral\n1\tg\tC.\tD.\tneutral\t-\n2\tg\tE.\tF.\tneutral\tentailment\n' >input
printf 'id\ttext\ttext_pair\tlabel\n0\tA.\tB.\tneutral\n2\tE.\tF.\tentailment\n' >expected
same MNLI dev
grep -q 'skipped lines without a gold label: 1' log || fail "does not count the missing labels"
printf 'index\tquestion\tsentence\tlabel\n0\tWho?\tThe king.\tnot_entailment\n' >input
printf 'id\ttext\ttext_pair\tlabel\n0\tWho?\tThe king.\tnot_entailment\n' >expected
same QNLI dev
printf 'index\tsentence1\tsentence2\tlabel\n0\tA.\tB.\tentailment\n' >input
printf 'id\ttext\ttext_pair\tlabel\n0\tA.\tB.\tentailment\n' >expected
same RTE train
refused WNLI train 'input:2: column label: found "entailment", expected one of 0,1'
printf 'index\tsentence1\tsentence2\n5\tA.\tB.\n' >input
printf 'id\ttext\ttext_pair\n5\tA.\tB.\n' >expected
same AX test
same WNLI test
refused RTE train 'has no column label'
refused QNLI test 'has no column question'
refused SNLI test 'is not a task of GLUE'
printf 'Logic\tPremise\tHypothesis\tLabel\n\tA.\tB.\tneutral\n' >input
printf 'id\ttext\ttext_pair\tlabel\n0\tA.\tB.\tneutral\n' >expected
same AX dev
: >input
refused RTE dev 'is empty'

# ---- From the benchmark to the submission.
sh "$here/glue_data.sh" glue
# build OUT ARGUMENT...: runs make; its output goes to log, the commands that ran to ran.
build() {
  out=$1
  shift
  : >ran
  make -j 2 -f "$examples/glue.mk" GLUE=glue OUT="$out" MODEL="$models/bare" LENGTH=48 BATCH_SIZES=4 RATES=3e-3 EPOCHS=1 \
    SMALL_SEEDS=1 TRAIN_OPTIONS=--no-shuffle "$@" >log 2>&1
}
# ran WHAT COUNTS: checks how often bert-train, -predict and -score ran in the last build.
ran() {
  found=$(for tool in train predict score; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}
build all || fail "all tasks"
ran "all tasks" "8 19 10"
sh "$here/glue_check.sh" all/submission.zip glue || fail "the submission is not in the leaderboard's format"
tail -n 1 log | grep -q '^mean' || fail "the scores are not shown"
build all || fail "nothing to do"
ran "nothing to do" "0 0 0"

# The table has the metrics of bert-score. WNLI is the majority of its training set, here 0.
LC_ALL=C awk -v task=MRPC -v part=dev -f "$examples/glue.awk" glue/MRPC/dev.tsv >mrpc.tsv
bert-predict -m all/MRPC/best mrpc.tsv | bert-score --metric glue/mrpc | cmp - all/scores/MRPC.json || fail "other scores"
awk -F '[:,]' '{ printf "MRPC\taccuracy\t%.1f\nMRPC\tf1\t%.1f\n", 100 * $4, 100 * $6 }' all/scores/MRPC.json >expected
grep MRPC all/dev.tsv | cmp - expected || fail "not the scores: $(cat all/dev.tsv)"
tail -n +2 all/submission/WNLI.tsv | cut -f 2 | sort -u | grep -qx 0 || fail "not the majority"
grep -qx "$(printf 'WNLI\taccuracy\t75.0')" all/dev.tsv || fail "not the score of the majority"
awk -F '\t' '
  NR > 1 && $1 != "" { task = $1; sub(/-mm?$/, "", task); sum[task] += $3; n[task]++ }
  $1 == "mean" { mean = $3 }
  END { delete n["mean"]; for (t in n) { total += sum[t] / n[t]; tasks++ }
    total /= tasks; exit !(tasks == 9 && mean > total - 0.11 && mean < total + 0.11) }' all/dev.tsv || fail "another mean: $(cat all/dev.tsv)"

# RTE starts from the model for MNLI; the best of two rates is taken.
build after TASKS='MNLI RTE' AFTER_MNLI=RTE RATES='3e-3 1e-9' || fail "MNLI first"
ran "MNLI first" "4 7 3"
grep -q 'model after/MNLI/best' after/RTE/SETTINGS.command || fail "RTE does not start from MNLI"
[ "$(tail -n +2 after/MNLI/table.tsv | wc -l)" = 2 ] || fail "not two rates"
grep -q 'lacks CoLA SST-2 MRPC STS-B QQP QNLI WNLI, which' log || fail "does not say what is missing"

# New test data: only its predictions are repeated.
touch glue/RTE/test.tsv
build all || fail "a new test set"
ran "a new test set" "0 1 0"
rm glue/*/test*.tsv glue/diagnostic/*
build dev TASKS='CoLA STS-B' || fail "no test sets"
ran "no test sets" "2 2 2"
[ ! -e dev/submission.zip ] || fail "a submission without test sets"
build none TASKS=RTE AFTER_MNLI=RTE && fail "accepted: AFTER_MNLI without MNLI"
grep -q 'needs the task MNLI' log || fail "does not say that MNLI is missing"
build none GLUE=nowhere && fail "accepted: no benchmark"
grep -q 'GLUE=nowhere: there is no nowhere' log || fail "does not say that the benchmark is missing"

# ---- The checker finds what is wrong with a submission.
rm -r glue
sh "$here/glue_data.sh" glue
wrong() {
  rm -rf bad bad.zip
  cp -R all/submission bad
  (cd bad && sh -c "$2" && zip -q ../bad.zip ./*)
  if sh "$here/glue_check.sh" bad.zip glue 2>said; then fail "the checker accepts: $1"; fi
  grep -q -e "$1" said || fail "the checker does not say: $1, but: $(cat said)"
}
wrong 'the files are' 'rm QQP.tsv'
wrong 'the files are' 'mkdir x; mv AX.tsv x'
wrong 'RTE.tsv has another header' 'sed -i 1d RTE.tsv'
wrong 'MRPC.tsv has other indices' 'sed -i 2d MRPC.tsv'
wrong 'QNLI.tsv: 0' 'sed -i "2s/.*/0\t1/" QNLI.tsv'
wrong 'STS-B.tsv: 0	5.1' 'sed -i "2s/.*/0\t5.1/" STS-B.tsv'
wrong 'AX.tsv: 1	not_entailment' 'sed -i "3s/.*/1\tnot_entailment/" AX.tsv'
