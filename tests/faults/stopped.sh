#!/bin/sh
# A signal at any moment of a training step ends bert-train properly: with a checkpoint, from which it continues to the
# bytes of a run that was never stopped. (oneDNN's products may set the stack pointer to heap memory, see SignalStack.)
# Usage: stopped.sh TOOLS_DIRECTORY SOURCE_DIRECTORY [ROUNDS]
set -eu
tools=$(cd "$1" && pwd) model=$(cd "$2" && pwd)/cmd/share/default-model rounds=${3:-12}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
fail() { echo "FAILED: $1" >&2; exit 1; }

# 36 sentences, of which each step reads 12.
awk 'BEGIN {
  print "text\tlabel"
  split("soup room house king street garden", noun); split("clean and good|cold and bad|old but warm", is, "|")
  for (n = 0; n < 36; n++) print "The " noun[n % 6 + 1] " in the old town by the river was " is[n % 3 + 1] ", as everybody said.\t" n % 3
}' >texts.tsv
# With `run` exec, for a background process that gets the signal itself.
run=
train() { $run "$tools/bert-train" -q --task classify -m "$model" --batch-size 12 --log-every 1 --lr 1e-4 "$@" texts.tsv; }
steps=40
train -j 1 --steps $steps -o whole >whole.log

stopped=0 round=0
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  rm -rf out
  : >log
  run='exec'
  train -j $((round % 2 + 1)) --steps $steps -o out >log 2>errors &
  learner=$!
  run=
  until [ -s log ] || ! kill -0 $learner 2>/dev/null; do sleep 0.01; done
  sleep "0.$((round * 17 % 90 + 10))"
  kill -TERM $learner 2>/dev/null || true
  code=0
  wait $learner || code=$?
  [ ! -s errors ] || fail "round $round: $(cat errors)"
  [ $code = 143 ] || [ $code = 0 ] || fail "round $round ended with $code"
  [ $code = 0 ] || stopped=$((stopped + 1))
  train -j 1 --steps $steps --resume -o out >log
  cmp out/model.safetensors whole/model.safetensors || fail "round $round: another model"
done
[ $stopped -ge $((rounds / 2)) ] || fail "only $stopped of $rounds runs were stopped"
