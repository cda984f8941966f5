#!/bin/sh
# cluster.mk gives the bytes of a single run for every filter and odd inputs. Messages name file and line of the
# input. After a kill, a failure or a change, only the shards that need it are run, and nothing is mixed.
# Usage: shards.sh TOOLS_DIRECTORY COOKBOOK_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) cookbook=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../golden/models" && pwd)
# shellcheck source=/dev/null
. "$here/../cookbook/common.sh"
need make bash parallel
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
ln -s "$models/pretraining" model

# build OUT FILTER ARGUMENT...: runs make; its output goes to log.
build() {
  out=$1 filter=$2
  shift 2
  make -f "$cookbook/cluster.mk" OUT="$out" FILTER="$filter" "$@" >log 2>&1
}
# same WHAT COMMAND: checks that the command prints the bytes of `out`.
same() { sh -c "$2" >expected 2>/dev/null && cmp expected out || fail "$1: other bytes than $2"; }
# planned WHAT COUNT: checks the number of shards in the plan.
planned() {
  found=$(cut -f 1 out.shards/plan | uniq | wc -l)
  [ "$found" = "$2" ] || fail "$1: $found shards, expected $2"
}
results() { find "out.shards/$(cat out.shards/key)" -name '[0-9]*' -type f ! -name '*.*' | wc -l; }

text() { awk -v seed="$1" -f "$here/../cookbook/text.awk" | sed "s/^The/& good king $1/"; }

# ---- JSONL: CRLF, blank lines, no newline at the end, a byte order mark, an empty FILE, a long record.
text 1 | sed 's/.*/{"id":"&","text":"&"}/' >plain.jsonl
text 2 | sed 's/.*/{"text":"&"}\r/; 3s/$/\n \t\r\n/' >crlf.jsonl
{ printf '\357\273\277'; text 3 | sed 's/.*/{"text":"&"}/'; printf '{"text":"the end"}'; } >mark.jsonl
: >empty.jsonl
{
  printf '\n\n{"text":"'
  head -c 9000 /dev/zero | tr '\0' 'x' | sed 's/xxxxx/king /g'
  printf '"}\n{"text":""}'
} >long.jsonl
files='plain.jsonl crlf.jsonl mark.jsonl empty.jsonl long.jsonl'
for shards in 1 7 1000; do
  build out 'bert-tokenize -m model' IN="$files" SHARDS=$shards || fail "$shards shards"
  same "$shards shards" "bert-tokenize -m model $files"
  build out 'bert-tokenize -m model' IN="$files" SHARDS=$shards check || fail "check of $shards shards"
done
planned "a shard for each record and one for blank lines" $(($(wc -l <expected) + 1))
build out 'bert-tokenize -m model' IN='[cp]*.jsonl' SHARDS=3 || fail "a pattern"
same "a pattern" "bert-tokenize -m model crlf.jsonl plain.jsonl"
build out 'bert-tokenize -m model' IN=empty.jsonl || fail "an empty FILE"
same "an empty FILE" true
build out 'bert-embed -m model --format f32' IN="$files" SHARDS=5 || fail "vectors"
same "vectors" "bert-embed -m model --format f32 $files"
build out 'bert-embed -m model --layers -1 --format google' IN="$files" SHARDS=3 || fail "Google's vectors"
same "Google's vectors" "bert-embed -m model --layers -1 --format google $files"

# Random numbers by the place of a record: shards span FILEs, and bert-nsp-pairs needs whole blocks.
cp out.shards/plan plan
cat plain.jsonl crlf.jsonl | bert-tokenize -m model --drop text,id >ids.jsonl
head -c -1 ids.jsonl >more.jsonl
build out 'bert-mask -m model' IN='more.jsonl ids.jsonl' SHARDS=4 || fail "bert-mask"
same "bert-mask" "bert-mask -m model more.jsonl ids.jsonl"
build out 'bert-tokenize -m model --drop text|bert-mask -m model' IN="$files" SHARDS=4 || fail "a pipeline"
same "a pipeline" "bert-tokenize -m model --drop text $files | bert-mask -m model"
for number in $(seq 10 30); do text "$number"; echo; done >documents
bert-tokenize -m model --sentences --input-format documents documents >sentences.jsonl
split -l 5 --additional-suffix .jsonl sentences.jsonl part-
for shards in 2 9; do
  build out 'bert-nsp-pairs -m model --pool 4 --max-length 32' IN='part-*' SHARDS=$shards || fail "bert-nsp-pairs"
  same "bert-nsp-pairs" "bert-nsp-pairs -m model --pool 4 --max-length 32 sentences.jsonl"
done
planned "a last document alone" 5
build out 'bert-tokenize -m model --sentences | bert-nsp-pairs -m model --pool 4 | bert-mask -m model' \
  IN=documents FORMAT=documents SHARDS=3 || fail "pre-training data"
build out 'bert-tokenize -m model --sentences | bert-nsp-pairs -m model --pool 4 | bert-mask -m model' \
  IN=documents FORMAT=documents SHARDS=3 check || fail "check of pre-training data"
same "pre-training data" "bert-nsp-pairs -m model --pool 4 sentences.jsonl | bert-mask -m model"
planned "pre-training data" 3

# ---- Other formats.
text 4 >a.txt
printf '\nThe last line\n\n{"of":"all"}' >>a.txt
cp a.txt b.txt
build out 'bert-tokenize -m model' IN='a.txt b.txt' SHARDS=9 || fail "text"
same "text" "bert-tokenize -m model a.txt b.txt"
{ printf 'text\tid\r\n'; text 5 | sed 's/$/\t&\r/'; } >a.tsv
{ printf '\357\273\277id\ttext\n'; text 6 | sed 's/$/\t&/'; printf '\t'; } >b.tsv
printf 'text\tid' >c.tsv
build out 'bert-tokenize -m model' IN='a.tsv b.tsv c.tsv' SHARDS=6 || fail "tables"
same "tables" "bert-tokenize -m model a.tsv b.tsv c.tsv"
build out 'bert-tokenize -m model --columns text,n' IN=a.tsv SHARDS=3 || fail "columns"
same "columns" "bert-tokenize -m model --columns text,n a.tsv"
build out 'bert-tokenize -m model --format tsv' IN=a.tsv SHARDS=4 || fail "a table as output"
same "a table as output" "bert-tokenize -m model --format tsv a.tsv"
build out 'bert-embed -m model --format tsv' IN=a.tsv SHARDS=4 || fail "vectors as a table"
same "vectors as a table" "bert-embed -m model --format tsv a.tsv"
for format in documents paragraphs; do
  build out "bert-tokenize -m model --input-format $format" IN='documents a.txt documents' SHARDS=8 || fail "$format"
  same "$format" "bert-tokenize -m model --input-format $format documents a.txt documents"
done
split -l 30 documents text-
head -c -2 text-ab >text-ax
for shards in 2 9; do
  build out 'bert-tokenize -m model --sentences | bert-nsp-pairs -m model --pool 2' IN='text-*' FORMAT=documents \
    SHARDS=$shards || fail "documents of several FILEs"
  same "documents of several FILEs" \
    "bert-tokenize -m model --sentences --input-format documents text-* | bert-nsp-pairs -m model --pool 2"
done
for file in text-*; do sed '13s/$/ \xff/; 25s/$/ \xff/' $file >bad-$file; done
build out 'bert-tokenize -m model --input-format paragraphs --on-error skip' IN='bad-text-*' SHARDS=3 || fail "bad paragraphs"
bert-tokenize -m model --input-format paragraphs --on-error skip bad-text-* 2>&1 >expected | grep -v skipped >told
[ -s told ] && grep -v skipped out.shards/messages | cmp - told || fail "other messages of paragraphs"
build out 'sed s/king/queen/' IN=a.txt SHARDS=3 || fail "another filter"
same "another filter" "sed s/king/queen/ a.txt"

# ---- Messages.
sed '5s/.*/{"no":"text"}/' crlf.jsonl >bad.jsonl
build out 'bert-tokenize -m model' IN='plain.jsonl bad.jsonl mark.jsonl' SHARDS=8 && fail "accepted a bad record"
grep -q '^bert-tokenize: bad.jsonl:5: field "text" is missing' log || fail "does not name file and line"
grep -q '1 of [0-9]* shards are not finished' log || fail "does not count the shards"
[ "$(results)" = $(($(cut -f 1 out.shards/plan | uniq | wc -l) - 1)) ] || fail "other shards were not run"
build out 'bert-tokenize -m model' IN='plain.jsonl bad.jsonl mark.jsonl' SHARDS=8 status || fail "status"
grep -q '^0000.*: bert-tokenize: bad.jsonl:5:' log || fail "status does not say why"
for number in 3 8 17; do sed -i "${number}s/.*/bad\r/" bad.jsonl; sed -i "${number}s/\$/\t\"\t/" b.tsv; done
build out 'bert-tokenize -m model --on-error skip' IN='plain.jsonl bad.jsonl bad.jsonl' SHARDS=3 || fail "skipped records"
same "skipped records" "bert-tokenize -m model --on-error skip plain.jsonl bad.jsonl bad.jsonl"
bert-tokenize -m model --on-error skip plain.jsonl bad.jsonl bad.jsonl 2>&1 >expected | grep -v skipped >told
grep -v skipped out.shards/messages | cmp - told || fail "other messages"
build out 'bert-tokenize -m model --on-error skip' IN='a.tsv b.tsv' SHARDS=9 || fail "skipped rows"
bert-tokenize -m model --on-error skip a.tsv b.tsv 2>&1 >expected | grep -v skipped >told
[ -s told ] && grep -v skipped out.shards/messages | cmp - told || fail "other messages of tables"

# ---- A failure, a kill and a change.
mkdir bin
cat >bin/flaky <<'END'
#!/bin/sh
# Runs once for each shard until `end` is gone; counts its runs.
echo run >>ran
[ ! -e end ] || . ./end
exec bert-tokenize -m model "$@"
END
chmod +x bin/flaky
PATH=$PWD/bin:$PATH
ran() {
  found=$(wc -l <ran)
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
  rm ran
}
again() { build out flaky IN='plain.jsonl crlf.jsonl' SHARDS=4 "$@"; }
rm -f ran
# A shard that fails twice is run a third time.
echo '[ "$FIRST_RECORD" != 0 ] || { echo >>tries; [ "$(wc -l <tries)" = 3 ] || { echo oops >&2; exit 3; }; }' >end
again JOBS=2 || fail "a shard that fails twice"
ran "a shard that fails twice" 6
same "a shard that fails twice" "bert-tokenize -m model plain.jsonl crlf.jsonl"
again && [ ! -e ran ] || fail "ran although all is finished"
rm out
again && [ ! -e ran ] || fail "ran although all shards are finished"
touch crlf.jsonl
rm end
again || fail "a FILE that changed"
ran "a FILE that changed" 4
again THREADS=1 && [ ! -e ran ] || fail "the number of threads made a difference"
again SHARDS=3 && ran "another number of shards" 3
again FILTER='flaky --drop id' && ran "another option" 4
same "another option" "bert-tokenize -m model --drop id plain.jsonl crlf.jsonl"
rm out
again FILTER='flaky --drop id' shards && [ ! -e out ] || fail "shards were joined"
cat out.shards/*/[0-9]????? | cmp - expected || fail "the results are not in order"
again FILTER='flaky --drop id' && [ ! -e ran ] || fail "ran although all shards are finished"
again FILTER='flaky --drop id' clean && [ "$(results)" = 0 ] || fail "clean"
again FILTER='flaky --drop id' && [ ! -e ran ] || fail "ran after clean"
cp -R model/ other
again FILTER='flaky -m other' && ran "another model" 4
touch other/vocab.txt
again FILTER='flaky -m other' && ran "a model that changed" 4

# Two processes, each on a core of its own.
if command -v taskset >/dev/null && taskset -c 0,1 true 2>/dev/null; then
  echo 'taskset -cp $$ >>cores' >end
  again JOBS=2 PIN='taskset -c $$((PARALLEL_JOBSLOT - 1))' FILTER='flaky -m other -q' || fail "bound to cores"
  [ "$(sed 's/.*: //' cores | sort -u | paste -s -d ' ')" = "0 1" ] || fail "not bound to two cores: $(cat cores)"
  rm end ran
fi

# Results that were interrupted are still there after a run with other options that failed.
touch plain.jsonl
echo '[ "$FIRST_RECORD" = 0 ] || exit 1' >end
again RETRIES=1 && fail "accepted: shards that fail"
[ "$(results)" = 1 ] || fail "not one result: $(results)"
again RETRIES=1 SHARDS=5 && fail "accepted: more shards that fail"
rm end ran
again && ran "after a run with other options" 3
[ "$(find out.shards -name run | wc -l)" = 1 ] || fail "results of other options are left"

# make, GNU parallel or the filter is killed in the third shard.
for victim in make parallel filter; do
  touch plain.jsonl
  cat >end <<'END'
if [ "$(wc -l <ran)" = 3 ]; then
  head -c 2000 | bert-tokenize -m model | head -n 3
  kill -9 $(cat victim)
  exit 1
fi
END
  case $victim in
  # In a session of its own, so that all of its processes can be ended.
  make) echo 'ps -o sid= -p $$' ;;
  parallel) echo 'ps -eo pid,sid,args | awk -v sid="$(ps -o sid= -p $$)" "\$2 == sid && / parallel/ && !/awk/ { print \$1 }"' ;;
  filter) echo 'echo $$' ;;
  esac >which
  sed -i 's/\$(cat victim)/$(sh .\/which)/' end
  [ $victim != make ] || sed -i 's/kill -9 /kill -9 -- -/' end
  [ $victim != filter ] || sed -i 's/sh .\/which/echo $$/' end
  setsid --wait make -f "$cookbook/cluster.mk" OUT=out FILTER=flaky IN='plain.jsonl crlf.jsonl' SHARDS=4 RETRIES=1 >log 2>&1 &&
    fail "$victim was not killed"
  rm end ran
  [ "$(results)" -lt 4 ] && [ "$(results)" -ge 2 ] || fail "$victim killed: $(results) results"
  left=$((4 - $(results)))
  again || fail "after $victim was killed"
  ran "after $victim was killed" $left
  same "after $victim was killed" "bert-tokenize -m model plain.jsonl crlf.jsonl"
  [ -z "$(ls out.shards/*/*.part.* 2>/dev/null)" ] || fail "half a result is left"
done

# Without GNU parallel, xargs runs the shards.
mkdir plain
ln -s /bin/* /usr/bin/* "$tools"/bert-* "$PWD"/bin/* plain 2>/dev/null || true
rm plain/parallel
# shellcheck disable=SC2123  # in a subshell
without() { (PATH=$PWD/plain && again "$@"); }
touch plain.jsonl
echo '[ "$FIRST_RECORD" != 0 ] || [ -e again ] || { : >again; exit 3; }' >end
without JOBS=2 || fail "without GNU parallel"
rm end
ran "without GNU parallel" 5
same "without GNU parallel" "bert-tokenize -m model plain.jsonl crlf.jsonl"
without HOSTS=one RETRIES=2 || fail "ran although all is finished"
touch plain.jsonl
without HOSTS=one && fail "accepted: hosts without GNU parallel"
grep -q 'GNU parallel is not installed' log || fail "does not say that GNU parallel is missing"

# Input that changes while shards run.
touch crlf.jsonl
echo 'touch -d 2020-01-01 plain.jsonl' >end
again && fail "accepted: input that changed meanwhile"
grep -q 'the input has changed' log || fail "does not say that the input changed"
rm end
again || fail "after a change"

# ---- Errors.
refused() {
  what=$1
  shift
  make -f "$cookbook/cluster.mk" OUT=refused "$@" >log 2>&1 && fail "accepted: $what"
  grep -q -e "$what" log || fail "does not say: $what"
}
refused 'IN=FILE' FILTER=bert-tokenize
refused 'FILTER=COMMAND' IN=a.txt
refused 'absent: is not a file' IN=absent FILTER=bert-tokenize
refused 'format of the input is not known' IN='a.txt plain.jsonl' FILTER=bert-tokenize
refused 'format csv cannot be divided' IN=a.txt FILTER='bert-tokenize --input-format csv'
refused 'SHARDS=0 is not' IN=a.txt FILTER=bert-tokenize SHARDS=0
refused '--format f32' IN=a.txt FILTER='bert-embed --format npy'
refused 'a summary' IN=a.txt FILTER='bert-tokenize --stats'
for context in '--context document' '--context=document' "--context 'document'"; do
  refused '--context document cannot be used in shards' IN=plain.jsonl FILTER="bert-predict --task tag $context"
done
refused '--context document cannot be used in shards' IN=plain.jsonl \
  FILTER='bert-predict --context document | bert-predict --context sentence'
refused '--context document cannot be used in shards' IN=plain.jsonl FILTER='bert-predict --context
  document'
refused 'OUT says' IN=a.txt FILTER='bert-tokenize -o some'
cp a.txt refused && refused 'is OUT' IN='a.txt refused' FORMAT=text FILTER=bert-tokenize
refused 'not found' IN=a.txt FILTER=no-such-command
make -f "$cookbook/cluster.mk" help >log 2>&1 && grep -q '^  status ' log || fail "help"
make -n -f "$cookbook/cluster.mk" OUT=dry FILTER=bert-tokenize IN=a.txt >log 2>&1 || fail "make -n"
[ ! -e dry.shards ] || fail "make -n made files"
