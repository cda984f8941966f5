#!/bin/sh
# Signals, resuming with another number of ranks, pipes, errors, and what must be equal on all ranks.
set -eu
. "$(dirname "$0")/lib.sh"
. "$LIB/sentences.sh"
records 200 class >train.jsonl
run() {
  count=$1
  shift
  ranks "$count" bert-train --task classify -m "$MODELS/bare" --lr 3e-3 --batch-size 10 --log-every 1 "$@"
}
# expect TEXT FILE: FILE has one line of bert-train, with this text, besides one that says where the run stopped.
expect() {
  found=$(grep -c -e "^bert-train: .*$1" "$2" || true)
  others=$(grep '^bert-train: ' "$2" | grep -cv -e "$1" -e 'stopped after step' || true)
  [ "$found $others" = '1 0' ] || { fail "expected one message, $1, found:"; cat "$2"; }
}

echo "A signal to any rank stops all after the same step; the run resumes with the same bytes."
run 2 --steps 300 --no-shuffle -o whole train.jsonl >whole.log
for signal in TERM INT HUP; do
  rm -rf part part.log
  run 2 --steps 300 --no-shuffle -o part train.jsonl >part.log 2>part.err &
  pid=$!
  wait_for 20 part.log
  kill -s $signal "$(processes $pid | tail -n 1)"
  if wait $pid; then fail "the run was not stopped"; fi
  expect "stopped after step" part.err
  run 2 --steps 300 --no-shuffle -o part --resume train.jsonl >>part.log
  same_bytes whole part
  figures part.log >a
  figures whole.log | cmp - a || fail "the logs differ"
done

echo "Signals to all ranks, one after the other, stop the run with a checkpoint, too."
rm -rf part part.log
run 3 --steps 3000 --no-shuffle -o part train.jsonl >part.log 2>part.err &
pid=$!
wait_for 20 part.log
for victim in $(processes $pid); do
  kill -s TERM "$victim" 2>/dev/null || true
  sleep 0.02
done
if wait $pid; then fail "the run was not stopped"; fi
expect "stopped after step" part.err

echo "A run continues with another number of ranks."
run 3 --steps 20 -o elastic train.jsonl >elastic.log
run 2 --steps 40 -o elastic --resume train.jsonl >>elastic.log 2>elastic.err
grep -q "with 2 processes instead of 3" elastic.err || fail "no word about the number of processes"
run 0 --steps 60 -o elastic --resume train.jsonl >>elastic.log 2>elastic.err
grep -q "with 1 process instead of 2" elastic.err || fail "no word about the number of processes"

echo "Rank 0 sends each rank its records of a pipe, which also resumes."
run 2 --steps 15 --labels bad,good -o piped <train.jsonl >piped.log
run 0 --steps 15 --labels bad,good -o alone <train.jsonl >alone.log
python3 -c '
import json, sys
for a, b in zip(open("piped.log"), open("alone.log"), strict=True):
    a, b = json.loads(a), json.loads(b)
    assert abs(a["loss"] / b["loss"] - 1) < 1e-4, (a, b)' || fail "a pipe gives other losses"
head -n 100 train.jsonl | run 2 --steps 15 --no-shuffle --labels bad,good -o cut >cut.log 2>cut.err
grep -q "the input ended after 10 of 15 steps" cut.err || fail "no word about the end of the pipe"
run 2 --steps 15 --no-shuffle --labels bad,good -o cut --resume <train.jsonl >>cut.log 2>cut.err || { fail "resume of a pipe"; cat cut.err; }

echo "Errors are shown once, with the rank; nothing is written."
if run 3 --steps 3 -o bad nosuch.jsonl >log 2>err; then fail "no error"; fi
expect 'rank [0-2] (.*): nosuch.jsonl: No such file' err
if run 3 --stps 3 -o bad train.jsonl >log 2>err; then fail "no error"; else [ $? = 2 ] || fail "another exit status"; fi
expect 'rank [0-2] (.*): unknown option --stps; did you mean --steps?' err
{ cat train.jsonl; echo '{"text":"no label"}'; } >bad.jsonl
if run 2 --labels bad,good -o bad bad.jsonl >log 2>err; then fail "no error"; fi
expect 'rank [01] (.*): bad.jsonl:201: field "label" is missing' err
run 2 --labels bad,good --epochs 1 --on-error skip -o skipped bad.jsonl >log 2>err
[ "$(grep -c 'bad.jsonl:201' err)" = 1 ] || fail "a skipped record is not named once"
[ ! -e bad/model.safetensors ] || fail "a failed run left a model"

echo "What differs between ranks is named at the start."
# differ A B TEXT: rank 0 has the arguments A and runs in the folder first, rank 1 has B and runs in second.
differ() {
  # The arguments are lists of words.
  # shellcheck disable=SC2086
  if mpirun -n 1 -wdir "${directory:?}/first" bert-train --task classify -m "$MODELS/bare" $1 : \
    -n 1 -wdir "$directory/second" bert-train --task classify -m "$MODELS/bare" $2 >log 2>err; then fail "no error"; fi
  expect "$3" err
}
mkdir first second
for folder in first second; do cp train.jsonl same.jsonl; mv same.jsonl $folder; done
cp train.jsonl first/texts.jsonl
sed '7s/the /The /' train.jsonl >second/texts.jsonl
cp train.jsonl first/lengths.jsonl
cat train.jsonl train.jsonl >second/lengths.jsonl
differ "-o out --seed 1 same.jsonl" "-o out --seed 2 same.jsonl" 'rank 1 (.*): --seed 2, but --seed 1 on rank 0'
differ "-o out --save-every 9 same.jsonl" "-o out same.jsonl" 'rank 1 (.*): same.jsonl, but --save-every 9 on rank 0'
differ "-o out same.jsonl" "-o out --text-field other same.jsonl" 'rank 1 (.*): --text-field other, but same.jsonl on rank 0'
differ "-o out texts.jsonl" "-o out texts.jsonl" 'rank 1 (.*): the training records: .*, but .* on rank 0'
for folder in first second; do
  for name in texts lengths; do sed 's/"text": *"/&For dev: /' $folder/$name.jsonl >$folder/dev_$name.jsonl; done
done
differ "-o out --dev dev_texts.jsonl same.jsonl" "-o out --dev dev_texts.jsonl same.jsonl" 'rank 1 (.*): the dev set: '
differ "-o out --dev dev_lengths.jsonl same.jsonl" "-o out --dev dev_lengths.jsonl same.jsonl" 'rank 1 (.*): the dev set: '
evaluate="--steps 0 --dev texts.jsonl"
run 0 --steps 2 -o trained train.jsonl >log
differ "$evaluate -m $directory/trained" "$evaluate -m $directory/trained" 'rank 1 (.*): the dev set: '
mpirun -n 1 bert-train --task classify -m "$MODELS/bare" --steps 2 -j 1 -o out train.jsonl : \
  -n 1 bert-train --task classify -m "$MODELS/bare" --steps 2 -j 2 -q -o out train.jsonl >log 2>err || { fail "other threads"; cat err; }
if grep -q avx2 /proc/cpuinfo; then
  if mpirun -n 1 bert-train --task classify -m "$MODELS/bare" -o differ train.jsonl : \
    -n 1 env ONEDNN_MAX_CPU_ISA=SSE41 "${tools:?}/bert-train" --task classify -m "$MODELS/bare" -o differ train.jsonl >log 2>err; then
    [ "${ONEDNN_MAX_CPU_ISA-}" = SSE41 ] || fail "no error"
  else
    expect 'rank 1 (.*): oneDNN .*, but oneDNN .* on rank 0' err
  fi
fi

echo "A rank that hangs ends the run with its name."
run 2 --steps 100000 -o hang train.jsonl >hang.log 2>err &
pid=$!
wait_for 20 hang.log
kill -s STOP "$(processes $pid | tail -n 1)"
begin=$(date +%s)
if wait $pid; then fail "no error"; fi
[ $(($(date +%s) - begin)) -le 15 ] || fail "the run ended too late"
expect 'rank 1 (.*) has not answered for 6 s' err
end
