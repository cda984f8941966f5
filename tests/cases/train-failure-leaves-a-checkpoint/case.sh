# A failure during training leaves a checkpoint of the last step, from which the run continues when the cause is mended,
# with the bytes of a run that did not fail.
say() { echo "--- ${1#--- }"; echo "--- ${1#--- }" >&2; }
train() { bert-train --task regress -m "$MODELS/bare" --steps 10 --batch-size 4 --lr 1e-3 --no-shuffle -j 1 -o "$@"; }
same() { cmp "$1/model.safetensors" "$2/model.safetensors" && echo "$1 = $2"; }
awk 'BEGIN { for (n = 0; n < 40; n++) printf "{\"text\":\"the king %d\",\"label\":%.1f}\n", n, n % 7 / 2 }' >good.jsonl
train whole -q <good.jsonl >whole.log
say '--- a bad record'
sed '23s/"label":[0-9.]*/"label":"high"/' good.jsonl >bad.jsonl
train bad <bad.jsonl >log
echo "exit $?"
ls bad/checkpoints
train bad --resume <bad.jsonl >log
echo "exit $?"
train bad --resume <good.jsonl >log
same bad whole
say '--- or it is skipped, also when the run is resumed'
train skips --on-error skip <bad.jsonl >log
train first <bad.jsonl >log
train first --on-error skip --resume <bad.jsonl >log
same first skips
say '--- an input that fails'
{ head -n 30 good.jsonl; printf '{"text":"\377","label":1}\n'; } >broken.jsonl
train broken <broken.jsonl >log
echo "exit $?"
ls broken/checkpoints
train broken --resume <good.jsonl >log
same broken whole
