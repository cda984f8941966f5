#!/bin/sh
# pretraining.mk gives the bytes of a single run, shard by shard and with GNU parallel. After a change it runs
# only the affected commands and gives the bytes of a fresh build. A failure leaves no partial files.
# Usage: pretraining.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make bash parallel setsid
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

trace "$tools" vocab tokenize nsp-pairs mask

# write NUMBER: prints a text.
write() { awk -v seed="$1" -f "$here/text.awk"; }
mkdir -p texts/sub
for number in $(seq 10 29); do write "$number" >"texts/$number.txt"; done
write 2 >"texts/sub/with a space.txt"
: >texts/15-is-empty.txt
write 1 >texts/not-a-text.html

start=
# build OUT ARGUMENT...: runs make, which must succeed; its output goes to log, the commands that ran to ran.
build() {
  out=$1
  shift
  : >ran
  $start make -f "$examples/pretraining.mk" TEXTS=texts OUT="$out" POOL=4 SHARD=8 LENGTH=32 \
    "VOCAB_OPTIONS=--size 90" "$@" >log 2>&1 ||
    fail "make fails: $out $*"
}
# ran WHAT COUNTS: checks how often bert-vocab, -tokenize, -nsp-pairs and -mask ran in the last build.
ran() {
  found=$(for tool in vocab tokenize nsp-pairs mask; do grep -cx "bert-$tool" ran || true; done | paste -s -d ' ')
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
}
# files OUT: lists every shard, and the vocabulary if it was learned.
files() { (cd "$1" && find . -name '*.jsonl' -o -path './vocab/*.*') | LC_ALL=C sort; }
# same WHAT OUT OTHER: checks that both have the same files with the same bytes.
same() {
  [ "$(files "$2")" = "$(files "$3")" ] || fail "$1: other files"
  files "$2" | while read -r file; do cmp "$2/$file" "$3/$file" || fail "$1"; done
}
# fresh WHAT ARGUMENT...: checks that `one` equals a fresh build.
fresh() {
  what=$1
  shift
  rm -rf new
  build new "$@"
  same "$what" one new
}

build one
ran "a first build" "4 3 3 3"
[ "$(cat one/shards/*/texts | wc -l)" = 21 ] || fail "not all texts are in shards"
grep -q '"document":20,' one/shards/000000016/train.jsonl || fail "the last document is missing"
build one check
ran "check" "1 1 1 1"
build side parallel
ran "parallel" "4 3 3 3"
same "parallel differs from make" one side
build one
ran "nothing to do" "0 0 0 0"
build side parallel
ran "nothing to do in parallel" "0 0 0 0"

# The same words in another order: one shard changes, the vocabulary does not.
tac texts/20.txt >turned && mv turned texts/20.txt
cp one/shards/000000000/train.jsonl before
build one
ran "a turned text" "2 1 1 1"
fresh "a turned text"
build side parallel
ran "a turned text, in parallel" "2 1 1 1"
same "a turned text, in parallel" one side

# New words change the vocabulary, so everything is rebuilt except the word counts of the other shards.
echo 'Zyzzyva zyzzyva zyzzyva zyzzyva zyzzyva zyzzyva.' >>texts/20.txt
build one
ran "new words" "2 3 3 3"
fresh "new words"
cmp -s before one/shards/000000000/train.jsonl && fail "the vocabulary made no difference"
build one "VOCAB_OPTIONS=--size 80"
ran "another size" "1 3 3 3"
build one CASE=--cased
ran "another case" "4 3 3 3"
fresh "another case" CASE=--cased

# Killed before any file of the list of shards is replaced, and after a text was removed that the killed run had seen.
real=$(command -v mv)
mkdir more
for number in $(seq 60 72); do write "$number" >"more/$number.txt"; done
cp -R one before.one
for run in 1 2 3 4 5; do
  rm -rf one
  cp -Rp before.one one
  cp more/*.txt texts
  : >runs
  cat >bin/mv <<END
#!/bin/sh
echo "\$@" >>$PWD/runs
[ "\$(wc -l <$PWD/runs)" != $run ] || kill -9 0
exec $real "\$@"
END
  chmod +x bin/mv
  start='setsid --wait'
  tried build one CASE=--cased && fail "not killed before run $run of mv"
  start=
  rm bin/mv
  [ $run != 2 ] || rm texts/6?.txt
  build one CASE=--cased
  fresh "a kill before run $run of mv" CASE=--cased
  rm -f texts/[67]?.txt
done
rm -r before.one one
cp -R new one
build one CASE=--cased

# With a fixed vocabulary, a changed text rebuilds its own shard only; an added or removed text also rebuilds
# the later shards.
mv new/vocab fixed
rm -r one/vocab
touch -d 2020-01-01 fixed/vocab.txt
build one VOCAB=fixed/vocab.txt
ran "another vocabulary" "0 3 3 3"
tac texts/12.txt >turned && mv turned texts/12.txt
build one VOCAB=fixed/vocab.txt
ran "a turned text, vocabulary given" "0 1 1 1"
write 30 >texts/19-comes.txt
build one VOCAB=fixed/vocab.txt
ran "a text that comes" "0 2 2 2"
fresh "a text that comes" VOCAB=fixed/vocab.txt
build one VOCAB=fixed/vocab.txt check
rm texts/2[6789].txt
build one VOCAB=fixed/vocab.txt
ran "a rest that joins the last shard" "0 1 1 1"
[ "$(cd one/shards && echo *)" = "000000000 000000008" ] || fail "a shard stayed behind"
fresh "texts that go" VOCAB=fixed/vocab.txt
build one VOCAB=fixed/vocab.txt check

# Options rebuild what depends on them; deleted intermediate files are not rebuilt.
build one VOCAB=fixed/vocab.txt TOKENIZE_OPTIONS=--cased
ran "other tokens" "0 2 2 2"
build one VOCAB=fixed/vocab.txt
ran "the tokens as before" "0 2 2 2"
build one VOCAB=fixed/vocab.txt MASK_OPTIONS=--whole-word
ran "another mask" "0 0 0 2"
fresh "another mask" VOCAB=fixed/vocab.txt MASK_OPTIONS=--whole-word
build one VOCAB=fixed/vocab.txt "PAIRS_OPTIONS=--mode sop"
ran "other pairs" "0 0 2 2"
rm one/shards/*/sentences.jsonl one/shards/*/instances.jsonl
build one VOCAB=fixed/vocab.txt "PAIRS_OPTIONS=--mode sop"
ran "deleted steps" "0 0 0 0"

# A tool fails or dies in the middle of its output.
rm -rf one
cp bin/bert-nsp-pairs whole
for end in 'exit 1' 'kill -9 $$'; do
  cat >bin/bert-nsp-pairs <<HALF
#!/bin/sh
while [ \$# -gt 1 ]; do [ "\$1" = -o ] && echo '{"input_ids":[2' >"\$2"; shift; done
$end
HALF
  for how in train parallel; do
    tried build one $how && fail "$how did not notice: $end"
    grep -q 'instances.jsonl.*Error\|Deleting.*instances.jsonl' log || fail "$how failed elsewhere: $end"
    [ -z "$(find one -name instances.jsonl)" ] || fail "$how left half a file: $end"
  done
done
mv whole bin/bert-nsp-pairs
build one
fresh "after a tool failed"

# A program at the start of a pipeline fails.
sort=$(command -v sort)
cat >bin/sort <<HALF
#!/bin/sh
[ "\$1" = -m ] || exec $sort "\$@"
$sort "\$@" | head -n 20
exit 1
HALF
chmod +x bin/sort
cp one/vocab/vocab.txt before
write 31 >texts/10.txt
tried build one && fail "a sort that fails went unnoticed"
cmp before one/vocab/vocab.txt || fail "a vocabulary of half the words"
rm bin/sort
build one
fresh "after sort failed"

# Held-out texts are in no shard, and change only when texts are added or removed.
held() { cut -d ' ' -f 3- one/dev/texts; }
build one HELD_OUT=3
ran "texts held out" "3 2 2 2"
fresh "texts held out" HELD_OUT=3
held >before
[ "$(wc -l <before)" = 3 ] || fail "not three texts are held out"
cut -d ' ' -f 3- one/texts | grep -Fxf before && fail "a text held out is in a shard"
[ "$(cat one/shards/*/texts | sort)" = "$(sort one/texts)" ] || fail "the shards are not of all others"
[ "$(wc -l <one/texts)" = 15 ] || fail "not all others are there"
build one HELD_OUT=3 check
for number in $(seq 40 59); do write "$number" >"texts/$number.txt"; done
build one HELD_OUT=3
held | grep -v '/[45]' | grep -Fxvf before && fail "a text that was learned from is held out"
rm texts/[45]?.txt
build one HELD_OUT=3
[ "$(held)" = "$(cat before)" ] || fail "other texts are held out"
build one HELD_OUT=25%
[ "$(held | wc -l)" = 5 ] || fail "not 25 % of the texts are held out"
build one HELD_OUT=1%
[ "$(held | wc -l)" = 2 ] || fail "not two texts at least are held out"
build one
[ -z "$(held)" ] || fail "texts stayed held out"

# Output inside the folder of texts is not used as text.
build texts/out
same "below the texts" one texts/out
build texts/out
ran "below the texts, again" "0 0 0 0"

# A text that is not UTF-8 stops the build, or both tools that read it replace the bytes.
printf 'Caf\351 au lait. The rest.\n' >texts/16-latin.txt
tried build one && fail "accepted Latin-1"
grep -q '16-latin.txt:1: .*UTF-8' log || fail "does not name the text"
build one READ_OPTIONS='--invalid-utf8 replace' check

# Errors are reported.
refused() {
  what=$1
  shift
  tried build other "$@" && fail "accepted: $what"
  grep -q "$what" log || fail "does not say: $what"
}
refused 'SHARD=9 is not a multiple of POOL=4' SHARD=9
refused 'HELD_OUT=some is neither a number nor a percentage' HELD_OUT=some
refused 'HELD_OUT=99 leaves no text' HELD_OUT=99
refused 'texts contains no file named \*.csv' 'NAMES=*.csv'
refused 'TEXTS=absent: there is no such folder' TEXTS=absent
refused 'TEXTS=FOLDER says' TEXTS=
refused 'OUT=FOLDER says' OUT=
