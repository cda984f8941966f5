# Each signal that ends a tool from outside removes its unfinished output.
awk 'BEGIN { for (n = 0; n < 200000; n++) print "the king and the queen said that the old king was here " n }' >big.txt
left() { find . -name '.*' ! -name . | sed 's/[0-9a-f]\{16\}/DIGITS/'; }
# begun: waits until an unfinished file has something in it.
begun() { until [ -n "$(find . -name '.*' -size +0 ! -name . | head -n 1)" ]; do sleep 0.01; done; }
for signal in HUP INT QUIT TERM XCPU PIPE; do
  for tool in 'bert-embed -o vectors.jsonl' 'bert-tokenize -o ids.jsonl'; do
    # sh ignores SIGINT and SIGQUIT in background processes.
    # shellcheck disable=SC2086
    prlimit --core=0 env --default-signal=HUP,INT,QUIT,PIPE $tool -j 1 -m "$MODELS/bare" big.txt 2>said &
    begun
    kill -s $signal $!
    wait $! 2>/dev/null
    code=$?
    [ "$(kill -l $code)" = $signal ] || echo "$tool, $signal: exit $code"
    left
  done
done
echo '--- the reader of the messages leaves'
mkfifo messages
env --default-signal=PIPE bert-embed -j 1 -m "$MODELS/bare" --progress always -o vectors.jsonl big.txt 2>messages &
head -c 1 <messages >said
wait $!
kill -l $?
left
echo '--- directories'
prlimit --core=0 env --default-signal=INT,QUIT bert-vocab --size 30000 -q -o words/ big.txt &
until [ -n "$(find . -name '.words.*')" ]; do sleep 0.01; done
kill -s QUIT $!
wait $! 2>/dev/null
kill -l $?
left
ls
