# A filter among others: a reader that leaves early, a full disk, answers before the producer ends.
yes 'the old king' | bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 | head -n 1
echo king | bert-embed -m "$MODELS/sharded" >/dev/full
echo "exit $?"
mkfifo texts
(echo king; while [ ! -s vectors ]; do sleep 0.02; done; echo queen) >texts &
timeout 20 bert-embed -m "$MODELS/sharded" --dim 1 --precision 2 <texts >vectors
cat vectors
