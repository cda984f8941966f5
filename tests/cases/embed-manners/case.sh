# Behaviour in a pipeline: a reader that exits early, a full disk, output before the producer ends.
yes 'the old king' | bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 | head -n 1
echo king | bert-embed -m "$MODELS/sharded" >/dev/full
echo "exit $?"
mkfifo texts
(echo king; for _ in $(seq 1000); do [ -s vectors ] && break; sleep 0.02; done; echo queen) >texts &
timeout 20 bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 <texts >vectors
cat vectors
