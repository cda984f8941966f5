# Reads a file of the GLUE benchmark and writes a table with the columns id, text, text_pair, if the task has
# pairs, and label, if the file has labels:
#
#   awk -v task=MRPC -v part=train -f glue.awk MRPC/train.tsv
#
# task is the name of a folder of the benchmark, or AX for the diagnostic set; part is train, dev or test.
# Fields are separated by TABs, and quotes are ordinary characters. In train and dev, lines with another number
# of columns than the header line (QQP has some) and lines with the label "-" are skipped; a message counts
# them. In test, every line needs a prediction, so none is skipped: another number of columns is an error, except
# in QQP, where missing texts are empty and counted. Blank lines at the end are ignored.
#
# Needs LC_ALL=C.

BEGIN {
  FS = OFS = "\t"
  split("CoLA SST-2 MRPC STS-B QQP MNLI QNLI RTE WNLI AX", names, " ")
  for (i in names) known[names[i]]
  if (!(task in known)) fail("task " task " is not a task of GLUE")
  pair["MRPC"] = "#1 String,#2 String"
  pair["QQP"] = "question1,question2"
  pair["QNLI"] = "question,sentence"
  pair["CoLA"] = pair["SST-2"] = "sentence"
  if (!(task in pair)) pair[task] = "sentence1,sentence2"
  label["MRPC"] = "Quality"
  label["STS-B"] = "score"
  label["QQP"] = "is_duplicate"
  label["MNLI"] = "gold_label"
  if (!(task in label)) label[task] = "label"
  allowed["MNLI"] = allowed["AX"] = "entailment,neutral,contradiction"
  allowed["QNLI"] = allowed["RTE"] = "entailment,not_entailment"
  if (!(task in allowed)) allowed[task] = "0,1"
  count = split(allowed[task], names, ",")
  for (i = 1; i <= count; i++) is_label[names[i]]
  texts = split(pair[task], text, ",")
}

{ sub(/\r$/, "") }

# The training and dev sets of CoLA have no header line: source, label, the author's mark, sentence.
NR == 1 && task == "CoLA" && part != "test" {
  columns = 4
  label_at = 2
  label_name = 2
  text_at[1] = 4
  head()
}

NR == 1 && !columns {
  sub(/^\357\273\277/, "")
  columns = NF
  for (i = 1; i <= NF; i++) at[$i] = i
  id_name = "index" in at ? "index" : "id"
  id_at = id_name in at ? at[id_name] : 0
  # The diagnostic set with labels has other names.
  if ("Premise" in at) { text[1] = "Premise"; text[2] = "Hypothesis"; label[task] = "Label" }
  for (i = 1; i <= texts; i++) {
    if (!(text[i] in at)) fail(FILENAME " has no column " text[i])
    text_at[i] = at[text[i]]
  }
  label_name = label[task]
  if (label_name in at && part != "test") label_at = at[label_name]
  if (!label_at && part != "test" && task != "AX") fail(FILENAME " has no column " label_name)
  head()
  next
}

part == "test" && $0 == "" { if (!blank) blank = NR; next }
part == "test" && blank { fail(FILENAME ":" blank ": the line is blank, expected " columns " columns") }
part == "test" && NF != columns && task == "QQP" { short++ }
part == "test" && NF != columns && task != "QQP" { fail(FILENAME ":" NR ": found " NF " columns, expected " columns) }
part == "test" && id_at && $id_at == "" { fail(FILENAME ":" NR ": column " id_name ": found \"\", expected an index") }
part != "test" && NF != columns { broken++; next }
part != "test" && label_at && $label_at == "-" { unlabelled++; next }
label_at && task == "STS-B" && ($label_at !~ /^[0-9]+(\.[0-9]+)?$/ || $label_at > 5) {
  fail(FILENAME ":" NR ": column score: found \"" $label_at "\", expected a number from 0 to 5")
}
label_at && task != "STS-B" && !($label_at in is_label) {
  fail(FILENAME ":" NR ": column " label_name ": found \"" $label_at "\", expected one of " allowed[task])
}
{
  line = id_at ? $id_at : rows + 0
  rows++
  for (i = 1; i <= texts; i++) line = line OFS $text_at[i]
  print line (label_at ? OFS $label_at : "")
}

END {
  if (failed) exit 1
  if (!columns) fail(FILENAME " is empty")
  if (broken) print FILENAME ": skipped lines with other than " columns " columns: " broken >"/dev/stderr"
  if (short) print FILENAME ": lines with other than " columns " columns: " short >"/dev/stderr"
  if (unlabelled) print FILENAME ": skipped lines without a gold label: " unlabelled >"/dev/stderr"
}

function head() { print "id" OFS "text" (texts > 1 ? OFS "text_pair" : "") (label_at ? OFS "label" : "") }

function fail(message) {
  print message >"/dev/stderr"
  failed = 1
  exit 1
}
