# When nobody reads the training log any more, or it cannot be written, the run ends with a checkpoint of its last step.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
# options OUT: words without spaces.
options="--task pretrain -m $golden/narrow --dropout 0.1 --batch-size 2 --log-every 1 --epochs 50"
# shellcheck disable=SC2086
train() { bert-train $options -o "$@" open.jsonl; }
ended() {
  ls "$1/checkpoints" | sed 's/[0-9]*$/N/' | tail -n 1
  [ ! -e "$1/model.safetensors" ] || echo "a model"
  sed 's/step [0-9]*/step N/' said
  [ "$(wc -l <log)" -le "$(ls "$1/checkpoints" | sed 's/step-0*//' | tail -n 1)" ] && echo 'no logged step is lost'
  train "$1" --resume -q >>log
  cmp "$1/model.safetensors" whole/model.safetensors && echo 'resumed, it gives the same model'
}
train whole -q >whole.log
echo '--- the reader of the log leaves'
{ train reader 2>said; echo "exit $?" >code; } | head -n 5 >log
cat code
ended reader
echo '--- the same where SIGPIPE is ignored'
(trap '' PIPE; train ignored 2>said; echo "exit $?" >code) | head -n 5 >log
cat code
ended ignored
echo '--- the disk of the log is full'
# 204800 bytes: more than any file of a checkpoint, less than the log.
(ulimit -f 400; train full >log 2>said; echo "exit $?")
ended full
echo '--- the reader of the messages leaves'
# shellcheck disable=SC2086
{ bert-train $options --progress always -o stderr open.jsonl 2>&1 >log; echo "exit $?" >code; } | head -c 20 >said
: >said
cat code
ended stderr
