#!/bin/sh
# Runs whose random rank is killed at a random moment, again and again, end with the bytes of an undisturbed run.
# Usage: kills.sh TOOLS_DIRECTORY [KILLS]
set -eu
. "$(dirname "$0")/lib.sh"
kills=${2:-6}
. "$LIB/sentences.sh"
records 300 class >train.jsonl
run() {
  mpirun -n 3 bert-train --task classify -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 --batch-size 12 --steps 400 --save-every 25 \
    --dev train.jsonl --eval-every 200 --best loss -q -o "$@" train.jsonl
}
run whole >whole.log
count=0
for attempt in $(seq 1 $((kills * 20))); do
  [ $count -lt "$kills" ] || break
  # As often as possible before the end: a run takes about a second.
  run killed --resume >>killed.log 2>killed.err &
  pid=$!
  sleep "0.$(awk -v seed="$attempt" 'BEGIN { srand(seed); printf "%03d", 300 + int(rand() * 600) }')"
  ranks=$(processes $pid 2>/dev/null || true)
  victim=$(echo "$ranks" | awk -v seed="$attempt" 'BEGIN { srand(seed + 1) } { line[NR] = $0 } END { print line[1 + int(rand() * NR)] }')
  if [ -n "$victim" ] && kill -s KILL "$victim" 2>/dev/null; then count=$((count + 1)); fi
  if wait $pid; then
    # It ended before the kill. Start again.
    same_bytes whole killed
    rm -rf killed
  fi
  if [ -d killed/checkpoints ]; then
    for checkpoint in killed/checkpoints/step-*; do
      [ ! -d "$checkpoint" ] || bert-train --task classify -m "$checkpoint" --steps 0 --dev train.jsonl >/dev/null || fail "$checkpoint"
    done
  fi
done
run killed --resume >>killed.log
same_bytes whole killed
echo "$count kills"
[ $count = "$kills" ] || fail "only $count kills"
end
