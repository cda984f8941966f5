#!/bin/sh
# SQuAD and SWAG: answers.mk chooses the threshold for "no answer" on the dev set, ensemble.mk averages the
# models' probabilities as a slow reference does, triviaqa.sh finds answers in the beginning of documents, and
# swag.mk reads CSV with quotes, commas and line ends. Usage: questions.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) models=$(cd "$(dirname "$0")/../../golden/models" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/common.sh"
need make bash flock jq python3 setsid
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
trace "$tools" train predict score tokenize
: >log

# build RECIPE OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  recipe=$1 out=$2
  shift 2
  : >ran
  ${start-} make -f "$examples/$recipe.mk" OUT="$out" MODEL="$models/bare" LR=3e-3 "$@" >log 2>&1 ||
    fail "make fails: $recipe.mk: $out $*"
}
# ran WHAT COUNTS: checks how often bert-train, -predict and -score ran in the last build.
ran() {
  found=$(for tool in train predict score; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}
number() { sed "s/.*\"$1\":\\([^,}]*\\).*/\\1/" "$2"; }

squad() {
  awk -v first="$1" -v last="$2" 'BEGIN {
    split("soup room house king street", noun)
    printf "{\"data\":[{\"title\":\"t\",\"paragraphs\":["
    for (n = first; n <= last; n++) {
      text = (n % 2 ? "Yes, the " : "The old ") noun[n % 5 + 1] " was old."; none = n % 3 == 0
      printf "%s{\"context\":\"%s\",\"qas\":[{\"id\":\"q%d\",\"question\":\"What was %s?\",\"is_impossible\":%s,\"answers\":[",
        (n > first ? "," : ""), text, n, (none ? "new" : "old"), (none ? "true" : "false")
      if (!none) printf "{\"text\":\"%s\",\"answer_start\":%d}", noun[n % 5 + 1], index(text, noun[n % 5 + 1]) - 1
      printf "]}]}"
    }
    print "]}],\"version\":\"v2.0\"}"
  }'
}
squad 1 40 >train.json
squad 41 60 >dev.json

# ---- THRESHOLD=dev: the official file has the answers and the F1 of the best threshold.
answers() {
  build answers one TRAIN=train.json DEV=dev.json THRESHOLD=dev EPOCHS=2 TRAIN_OPTIONS='--batch-size 4'
}
answers
ran "a threshold from dev" "1 1 2"
threshold=$(cat one/answerer.threshold)
bert-predict -m one/answerer --no-answer-threshold "$threshold" --format squad dev.json | jq -S . >expected
jq -S . one/answerer.predictions.json | cmp - expected || fail "other answers than those of this threshold"
bert-score --metric squad_v2 --gold dev.json one/answerer.predictions.json >score
[ "$(number f1 score)" = "$(number best_f1 one/answerer.score.json)" ] || fail "not the best F1: $(cat score)"
[ "$(number f1 one/answerer.score.json)" = "$(number f1 score)" ] || fail "another score is shown"
always=$(bert-predict -m one/answerer dev.json | bert-score --task answer --gold dev.json | sed 's/.*"exact_match":[^,]*,"f1":\([^,]*\).*/\1/')
awk -v best="$(number best_f1 one/answerer.score.json)" -v always="$always" 'BEGIN { exit best > always ? 0 : 1 }' ||
  fail "the threshold is of no use: $always"
answers
ran "nothing to do" "0 0 0"
build answers one TRAIN=train.json DEV=dev.json THRESHOLD=0 EPOCHS=2 TRAIN_OPTIONS='--batch-size 4'
bert-predict -m one/answerer --no-answer-threshold 0 --format squad dev.json | cmp - one/answerer.predictions.json ||
  fail "a fixed threshold gives other answers"

# ---- Ensembles, compared with a slow reference.
build sweep sweep TASK=answer TRAIN=train.json DEV=dev.json SEEDS='1 2 3' KEEP=all BATCH_SIZES=4 RATES=3e-3 EPOCHS=1
cat >reference.py <<'END_OF_FILE'
import json, math, sys
null = sys.argv[1] == "null"
models = [[json.loads(line) for line in open(name)] for name in sys.argv[2:]]
answers = {}
for records in zip(*models):
    mean, mean_null = {}, 0
    for record in records:
        logits = {a["text"]: math.log(a["score"]) for a in record["n_best"]}
        none = math.log(record["n_best"][0]["score"]) + record["null_score"]
        total = sum(map(math.exp, logits.values())) + (math.exp(none) if null else 0)
        for text, logit in logits.items():
            mean[text] = mean.get(text, 0) + math.exp(logit) / total / len(models)
        mean_null += math.exp(none) / total / len(models)
    best = max(mean, key=mean.get)
    answers[records[0]["id"]] = (best, math.log(mean_null / mean[best]))
print(json.dumps(answers))
END_OF_FILE
number=0
for model in sweep/runs/*/; do
  number=$((number + 1))
  bert-predict -m "$model" --n-best 20 --keep id,null_score,n_best dev.json >member$number.jsonl
done
[ $number = 3 ] || fail "not three models"
members=$(echo sweep/runs/*/)
combine() { build ensemble "$@" MODELS="$members" DEV=dev.json; }
agree() {
  python3 reference.py "$1" member1.jsonl member2.jsonl member3.jsonl >reference.json
  jq -sc --slurpfile reference reference.json 'map(. as $record | $reference[0][.id] as $expected
    | .prediction == $expected[0] and (.null_score - $expected[1] | fabs < 1e-4)) | length == 20 and all' "$2" | grep -qx true ||
    fail "other means than the reference: $(paste -s "$2") $(cat reference.json)"
}
combine together
ran "an ensemble" "0 3 1"
agree always together/ensemble.scored.jsonl
jq -sc 'map({(.id): .prediction}) | add' together/ensemble.scored.jsonl >expected
jq -c . together/ensemble.predictions.json | cmp - expected || fail "other answers than the records"
bert-score --metric squad_v2 --gold dev.json together/ensemble.predictions.json | sed 's/,"best_.*/}/' >expected
sed 's/,"best_.*/}/' together/ensemble.score.json | cmp - expected || fail "another score of the ensemble"
combine together
ran "no ensemble to do" "0 0 0"
combine together THRESHOLD=dev
ran "an ensemble with a threshold" "0 0 2"
agree null together/ensemble.scored.jsonl
bert-score --metric squad_v2 --gold dev.json together/ensemble.predictions.json >score
[ "$(number f1 score)" = "$(number best_f1 together/ensemble.score.json)" ] || fail "not the best F1 of the ensemble"
combine together THRESHOLD=-100
jq -e 'length == 20 and all(. == "")' together/ensemble.predictions.json >said || fail "it answers: $(cat said)"

# A context without words has no answer, as with bert-predict --format squad. Each step can be killed.
cat >wordless.json <<'END_OF_FILE'
{"data":[{"title":"t","paragraphs":[{"context":"","qas":[{"id":"w1","question":"What?","answers":[]}]},
  {"context":"The king was old.","qas":[{"id":"w2","question":"Who was old?","answers":[{"text":"king","answer_start":4}]}]}]}]}
END_OF_FILE
wordless() { build ensemble "$@" MODELS="$members" DEV=wordless.json; }
for threshold in '' 100; do
  wordless wordless THRESHOLD=$threshold
  jq -e '.w1 == "" and .w2 != "" and length == 2' wordless/ensemble.predictions.json >/dev/null ||
    fail "a context without words: $(cat wordless/ensemble.predictions.json)"
  rm -rf killed
  for run in 1 2; do
    killed jq $run wordless killed THRESHOLD=$threshold || fail "jq was not killed in run $run"
    wordless killed THRESHOLD=$threshold
    for file in scored.jsonl predictions.json score.json; do
      cmp wordless/ensemble.$file killed/ensemble.$file || fail "another $file after a kill in run $run"
    done
    rm -r killed
  done
done
printf '{"id":"a","question":"Who?","context":"The king."}\n{"question":"Who?","context":"The queen."}\n' >nameless.jsonl
tried build ensemble together MODELS="$members" DEV=nameless.jsonl predictions && fail "accepted: a record without id"
grep -qx 'nameless.jsonl: record 2: field "id" is missing' log || fail "the message about a record without id"
: >none.jsonl
build ensemble together MODELS="$members" DEV=none.jsonl predictions
[ "$(cat together/ensemble.predictions.json)" = '{}' ] || fail "answers without questions"
for twice in "$members $members" "sweep/runs $PWD/sweep/../sweep/runs/"; do
  tried build ensemble together MODELS="$twice" DEV=dev.json && fail "accepted: a model twice"
  grep -q 'has the same model twice' log || fail "the message about a model that is given twice"
done

# ---- TriviaQA: documents of both kinds, whole words, aliases, white space, the first words only.
mkdir -p evidence/wikipedia evidence/web/1
printf 'The Canada goose\tis a bird. Ada Lovelace was  born\nin London (UK).\n\n\303\204pfel are old.\n' >evidence/wikipedia/Ada.txt
printf 'Z\303\274rich is a city; ada was here.' >evidence/web/1/2.txt
cat >trivia.json <<'END_OF_FILE'
{
  "Data": [
    {"Answer": {"Aliases": ["Ada", "Ada Lovelace", "A(d.a"], "NormalizedAliases": ["ada lovelace"], "Value": "Ada Lovelace"},
     "EntityPages": [{"Filename": "Ada.txt", "Title": "Ada"}, {"Filename": "Missing.txt"}],
     "SearchResults": [{"Filename": "1/2.txt", "Rank": 0}], "Question": "Who was \"born\" in London?", "QuestionId": "t1"},
    {"Answer": {"Aliases": ["?", "Lond", "A.a"], "Value": "\u00e4pfel"}, "EntityPages": [{"Filename": "Ada.txt"}],
     "Question": "Which fruit?", "QuestionId": "t2"},
    {"Answer": {"Value": "Paris"}, "EntityPages": [{"Filename": "Ada.txt"}], "Question": "Where?", "QuestionId": "t3"}
  ],
  "Domain": "Wikipedia", "Version": 1.0
}
END_OF_FILE
convert() { sh "$examples/triviaqa.sh" "$@" evidence trivia.json >trivia.jsonl 2>log || fail "trivia.json is not read"; }
convert
cat >expected <<'END_OF_FILE'
{"id":"t1--wikipedia/Ada.txt","question":"Who was \"born\" in London?","context":"The Canada goose is a bird. Ada Lovelace was born in London (UK). Äpfel are old.","answers":{"text":["Ada Lovelace"],"answer_start":[28]}}
{"id":"t1--web/1/2.txt","question":"Who was \"born\" in London?","context":"Zürich is a city; ada was here.","answers":{"text":["ada"],"answer_start":[18]}}
{"id":"t2--wikipedia/Ada.txt","question":"Which fruit?","context":"The Canada goose is a bird. Ada Lovelace was born in London (UK). Äpfel are old.","answers":{"text":["Äpfel"],"answer_start":[66]}}
END_OF_FILE
cmp trivia.jsonl expected || fail "other records: $(cat trivia.jsonl)"
grep -q 'missing documents: 1' log || fail "does not count the missing document"
convert -w 6
[ "$(jq -c '[.context, .answers.text]' trivia.jsonl)" = '["Zürich is a city; ada was",["ada"]]' ] || fail "not the first words"
sh "$examples/triviaqa.sh" nowhere trivia.json 2>log && fail "accepted: no evidence"
# refused_trivia MESSAGE ARGUMENT...: the message is one line, and the records before the error are written.
refused_trivia() {
  message=$1
  shift
  sh "$examples/triviaqa.sh" "$@" >came 2>log && fail "accepted: $*"
  [ "$(cat log)" = "triviaqa.sh: $message" ] || fail "does not say: $message"
}
refused_trivia '-w x: expected a number of words, at least 1' -w x evidence trivia.json
refused_trivia '-w 0: expected a number of words, at least 1' -w 0 evidence trivia.json
refused_trivia 'evidence: expected a file that can be read' evidence trivia.json evidence
head -n 6 trivia.json >cut.json
refused_trivia 'cut.json: Unfinished JSON term at EOF at line 7, column 0' evidence cut.json trivia.json
head -n 2 expected | cmp - came || fail "not the records before the error: $(cat came)"
# bad_trivia MESSAGE RECORDS: the records after a good one are refused.
good='{"QuestionId":"g","Question":"Who?","Answer":{"Value":"Ada"},"EntityPages":[{"Filename":"Ada.txt"}]}'
bad_trivia() {
  printf '{"Data":[%s%s]}\n' "$good" "$2" >bad.json
  refused_trivia "bad.json: $1" evidence bad.json
  [ "$(wc -l <came)" = 1 ] || fail "not the record before the error"
}
bad_trivia 'question 2 (t): Answer: expected object, found null' ',{"QuestionId":"t","Question":"Who?"}'
bad_trivia 'question 2 (no QuestionId): QuestionId: expected string, found null' ',{}'
bad_trivia 'question 2 (no QuestionId): record: expected object, found number' ',5'
bad_trivia 'question 2 (t): Aliases: expected string, found null' ',{"QuestionId":"t","Question":"","Answer":{"Value":"","Aliases":[null]}}'
bad_trivia 'question 2 (t): Filename: expected string, found number' \
  ',{"QuestionId":"t","Question":"","Answer":{"Value":""},"EntityPages":[{"Filename":5}]}'
bad_trivia 'Expected separator between values at line 1, column 113' ' "x"'
for text in '{"data":[]}' '{"Data":5}' ''; do
  echo "$text" >bad.json
  refused_trivia 'bad.json: expected questions in the array Data, found none' evidence bad.json
done
echo '{"Data":[{"QuestionId":"t","Question":"","Answer":{"Value":"x"},"EntityPages":[{},{"Filename":null},{"Filename":""}]},'"$good]}" >part.json
sh "$examples/triviaqa.sh" evidence part.json >came 2>log || fail "documents without a name are refused"
[ "$(wc -l <came) $(cat log)" = "1 triviaqa.sh: missing documents: 3" ] || fail "documents without a name: $(cat came)"
if sh "$examples/triviaqa.sh" evidence trivia.json >/dev/full 2>log; then fail "accepted: a full disk"; fi
[ "$(cat log)" = 'triviaqa.sh: writing output failed: No space left on device' ] || fail "the message about a full disk"
trivia() { build triviaqa trivia TRIVIAQA=trivia.json EVIDENCE=evidence DEV=dev.json "$@"; }
trivia
ran "training on TriviaQA" "1 1 1"
cmp trivia/trivia.jsonl expected || fail "other records of triviaqa.mk"
trivia
ran "no trivia to do" "0 0 0"
trivia WORDS=100
ran "other contexts" "1 1 1"
tried build triviaqa cut TRIVIAQA=cut.json EVIDENCE=evidence DEV=dev.json && fail "accepted: a file of TriviaQA that is cut"
ran "a file of TriviaQA that is cut" "0 0 0"
[ ! -e cut/trivia.jsonl ] || fail "half of the records are left"

# ---- SWAG.
cat >swag.csv <<'END_OF_FILE'
,video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label
0,own_1,12,"A man, ""old"". He","A man, ""old"".",He,gold,"is here,
at the door.",was bad.,is a room.,"",2
END_OF_FILE
sed 's/,label$//; s/,2$//' swag.csv >test.csv
awk 'BEGIN { for (n = 1; n < 24; n++) print n ",own,1,x,The king was old.,It,gold,was bad.,was cold.,is clean and good.,was bad.,2" }' >>swag.csv
choose() { build swag swag TRAIN=swag.csv DEV=swag.csv TRAIN_OPTIONS='--batch-size 4'; }
choose
ran "choices" "1 1 1"
cat >expected <<'END_OF_FILE'
{"text":"A man, \"old\".","question":"He","choices":["is here,\nat the door.","was bad.","is a room.",""],"label":2}
END_OF_FILE
head -n 1 swag/train.jsonl | cmp - expected || fail "other choices: $(head -n 1 swag/train.jsonl)"
grep -qE '"records":24,"accuracy":(1|0.95)' swag/chooser.score.json || fail "nothing was learned: $(cat swag/chooser.score.json)"
choose
ran "no choices to do" "0 0 0"
make -s -f "$examples/swag.mk" MODEL="$models/bare" records CSV=test.csv >records || fail "records without labels"
sed 's/,"label":2//' expected | cmp - records || fail "other records: $(cat records)"
rm -rf killed
killed jq 1 build swag killed TRAIN=swag.csv DEV=swag.csv killed/train.jsonl || fail "jq was not killed"
build swag killed TRAIN=swag.csv DEV=swag.csv killed/train.jsonl
cmp swag/train.jsonl killed/train.jsonl || fail "other choices after a kill"

# Missing columns and bad labels are errors that name the file, and leave no file.
refused() {
  rm -rf bad
  tried build swag bad TRAIN=bad.csv DEV=bad.csv bad/train.jsonl && fail "accepted: $1"
  grep -qxF -e "bad.csv: $1" log || fail "does not say: $1"
  [ -z "$(find bad -name '*train*')" ] || fail "$1: left $(find bad)"
}
for column in sent2 ending0 ending3 label; do
  sed "1s/$column/other/" swag.csv >bad.csv
  refused "has no column $column"
done
for label in 4 -1 1.5 x "it's" ''; do
  sed "\$s/2\$/$label/" swag.csv >bad.csv
  refused "record 24: label is \"$label\", expected 0, 1, 2 or 3"
done
make -s -f "$examples/swag.mk" MODEL="$models/bare" records CSV=bad.csv >records 2>log && fail "accepted: records with a bad label"
grep -qx 'bad.csv: record 24: .*' log || fail "the message about a bad label in records"
