#!/bin/sh
# Writes small files in the form of the GLUE benchmark, with the quirks of the real ones: no header line in
# CoLA, a byte order mark and CRLF in MRPC, single quotation marks everywhere, broken lines in QQP, missing
# gold labels in MNLI, a last line without a newline. All sentences are our own. Usage: glue_data.sh DIRECTORY
set -eu
mkdir -p "$1"
cd "$1"
mkdir CoLA SST-2 MRPC STS-B QQP MNLI QNLI RTE WNLI diagnostic

# rows FIRST LAST AWK-PROGRAM: runs the program for each n; good(n) and bad(n) are sentences, tab joins fields.
rows() {
  awk -v first="$1" -v last="$2" '
    function good(n) { return "The " noun[n % 5 + 1] " was clean and good." }
    function bad(n) { return "The " noun[n % 5 + 1] " was \"cold and bad." }
    BEGIN {
      split("soup room house king street", noun)
      OFS = "\t"
      for (n = first; n <= last; n++) { '"$3"' }
    }'
}

rows 1 24 'print "x" n, n % 2, (n % 2 ? "" : "*"), (n % 2 ? good(n) : bad(n))' >CoLA/train.tsv
rows 25 36 'print "x" n, n % 2, (n % 2 ? "" : "*"), (n % 2 ? good(n) : bad(n))' | head -c -1 >CoLA/dev.tsv
{ printf 'index\tsentence\n'; rows 0 4 'print n, (n % 2 ? good(n) : bad(n))'; } >CoLA/test.tsv

header() { printf '%s\n' "$1" | tr ' ' '\t'; }
for part in train dev; do
  from=1 to=24
  [ $part = train ] || { from=25 to=36; }
  { header 'sentence label'; rows $from $to 'print (n % 2 ? good(n) : bad(n)) " ", n % 2'; } >SST-2/$part.tsv
  {
    printf '\357\273\277Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n'
    rows $from $to 'print n % 2, 100 + n, 200 + n, "\" " good(n), (n % 2 ? good(n) : bad(n)) "\r"'
  } >MRPC/$part.tsv
  {
    header 'index genre filename year old_index source1 source2 sentence1 sentence2 score'
    rows $from $to 'print n - first, "own", "made", "2026", n, "none", "none", good(n), (n % 2 ? good(n) : bad(n)), (n % 2 ? "4.500" : "1.000")'
  } >STS-B/$part.tsv
  {
    header 'id qid1 qid2 question1 question2 is_duplicate'
    rows $from $to '
      print n, n + 100, n + 200, "Is it \"good?", (n % 2 ? good(n) : bad(n)), n % 2
      if (n == first) { print n + 50, 7, 8, "Was it old?", "Was it"; print "very old?", 1 }'
  } >QQP/$part.tsv
  { header 'index question sentence label'
    rows $from $to 'print n - first, "Was it good?", (n % 2 ? good(n) : bad(n)), (n % 2 ? "entailment" : "not_entailment")'; } >QNLI/$part.tsv
  { header 'index sentence1 sentence2 label'
    rows $from $to 'print n - first, good(n), (n % 2 ? good(n) : bad(n)), (n % 2 ? "entailment" : "not_entailment")'; } >RTE/$part.tsv
  { header 'index sentence1 sentence2 label'
    rows $from $to 'print n - first, good(n), "It was good.", (n % 4 ? 0 : 1)'; } >WNLI/$part.tsv
done
mnli='index promptID pairID genre sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse sentence1 sentence2'
label='split("entailment neutral contradiction", name); gold = name[n % 3 + 1]
  row = n - first OFS n OFS n "e" OFS "own" OFS "( it )" OFS "( is )" OFS "(S it)" OFS "(S is)" OFS good(n) OFS (n % 3 ? bad(n) : good(n))'
{ header "$mnli label1 gold_label"; rows 1 24 "$label"'; print row, gold, (n == 3 ? "-" : gold)'; } >MNLI/train.tsv
for kind in matched mismatched; do
  { header "$mnli label1 label2 label3 label4 label5 gold_label"
    rows 25 36 "$label"'; print row, gold, gold, gold, gold, gold, (n == 30 ? "-" : gold)'; } >MNLI/dev_$kind.tsv
  { header "$mnli"; rows 0 5 "$label"'; print row'; } >MNLI/test_$kind.tsv
done
{ header 'index sentence'; rows 0 4 'print n, (n % 2 ? good(n) : bad(n))'; } >SST-2/test.tsv
{ printf 'index\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n'; rows 0 4 'print n, n, n, good(n), bad(n) "\r"'; } >MRPC/test.tsv
{ header 'index genre filename year old_index source1 source2 sentence1 sentence2'
  rows 0 4 'print n, "own", "made", "2026", n, "none", "none", good(n), bad(n)'; } >STS-B/test.tsv
{ header 'id question1 question2'; rows 0 4 'if (n == 2) print n, "Was it \"old?"; else print n, good(n), bad(n)'; } >QQP/test.tsv
{ header 'index question sentence'; rows 0 4 'print n, "Was it good?", bad(n)'; } >QNLI/test.tsv
for task in RTE WNLI; do { header 'index sentence1 sentence2'; rows 0 4 'print n, good(n), bad(n)'; } >$task/test.tsv; done
{ header 'index sentence1 sentence2'; rows 0 6 'print n, good(n), bad(n)'; } >diagnostic/diagnostic.tsv
