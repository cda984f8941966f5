#!/bin/sh
# A run that is killed at random moments (SIGKILL) always continues from its last step and ends with the same
# bytes as a run that was never killed.
# Usage: killed.sh TOOLS_DIRECTORY [ROUNDS [SEED]]
#
# Each round resumes the run, waits for a random number of steps, up to a third of the whole, and kills it within
# the time of about one more step. A checkpoint is written after each step, so most kills occur while one is being
# written. A run that finishes is compared and started again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$1" && pwd) rounds=${2:-100} seed=${3:-$$}
golden=$here/../golden/training
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
# bert-train masks the tokens itself.
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl

# A list of words.
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 6 --steps 60 --lr 2e-3 --log-every 1 --save-every 1
  --eval-every 20 --dev open.jsonl --best loss --resume -v"
# shellcheck disable=SC2086
train() { "$tools/bert-train" $options --out "$@" open.jsonl; }

fail() {
  echo "round $round of seed $seed: $*" >&2
  cat said >&2
  exit 1
}

begin=$(date +%s%N)
train whole >whole.jsonl 2>said
step=$((($(date +%s%N) - begin) / 60000000))
round=0 killed=0 ended=0 resumed=0 done=0
awk -v rounds="$rounds" -v seed="$seed" -v step="$step" \
  'BEGIN { srand(seed); for (i = 0; i < rounds; i++) printf "%d %.4f\n", rand() * 20, rand() * step / 1000 }' >moments
while read -r steps moment; do
  round=$((round + 1))
  : >log
  # Not through the function, because its subshell would be killed instead.
  # shellcheck disable=SC2086
  "$tools/bert-train" $options --out run open.jsonl >log 2>said &
  while [ "$(wc -l <log)" -lt "$steps" ] && kill -0 $! 2>/dev/null; do sleep 0.002; done
  sleep "$moment"
  kill -KILL $! 2>/dev/null || true
  code=0
  wait $! 2>/dev/null || code=$?
  # The run must continue at least from the last logged step.
  from=$(sed -n 's/.*resuming from step \([0-9]*\),.*/\1/p' said)
  [ -z "$from" ] || resumed=$((resumed + 1))
  [ -z "$from" ] || [ "$from" -ge $done ] || fail "resumed from step $from, $done were done"
  last=$(sed -n 's/^{"step":\([0-9]*\),"loss".*}$/\1/p' log | tail -n 1)
  case $code in
  0)
    ended=$((ended + 1)) done=0
    cmp whole/model.safetensors run/model.safetensors || fail 'the model is another'
    rm -rf run
    ;;
  137)
    killed=$((killed + 1))
    # The log line of a step is written before its checkpoint.
    [ -z "$last" ] || done=$((last - 1))
    ;;
  *) fail "exit code $code" ;;
  esac
done <moments
train run >log 2>said || fail 'the last part fails'
cmp whole/model.safetensors run/model.safetensors || fail 'the model is another'
left=$(find run -name '.*' | head -n 1)
[ -z "$left" ] || fail "$left was left behind"
[ $killed -gt $((rounds / 2)) ] || fail "only $killed of $rounds were killed"
[ $resumed -gt $((rounds / 2)) ] || fail "only $resumed of $rounds were resumed"
echo "killed $killed times of $rounds, came to its end $((ended + 1)) times"
