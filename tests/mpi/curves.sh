#!/bin/sh
# 200 steps of each task by 1, 2, 3 and 4 ranks: the same losses as one process within 1e-4, the same dev figures
# within 1e-3, and the same bytes in a second run. One rank equals a process without MPI in every byte.
set -eu
. "$(dirname "$0")/lib.sh"
compare() {
  python3 - "$@" <<'END'
import json, sys
logs = [[json.loads(line) for line in open(name)] for name in sys.argv[1:3]]
assert len(logs[0]) == len(logs[1]) > 10, "another number of lines"
worst = 0
for a, b in zip(*logs):
    assert a.keys() == b.keys() and a["step"] == b["step"], (a, b)
    if "loss" in a:
        worst = max(worst, abs(a["loss"] / b["loss"] - 1))
    for key in a:
        if key.startswith("dev_") and abs(a[key] - b[key]) > 1e-3 * max(1, abs(a[key])):
            sys.exit(f"step {a['step']}: {key} {a[key]} and {b[key]}")
print(f"{sys.argv[2]}: losses differ by at most {worst:.1e}")
sys.exit(worst > 1e-4)
END
}
# check NAME OPTION... FILE
check() {
  name=$1
  shift
  for run in 0 1 2 2b 3 4; do
    ranks "${run%b}" bert-train "$@" --lr 1e-3 --dropout 0.1 --steps 200 --log-every 10 --seed 3 -q -o "$name.$run" >"$name.$run.log" ||
      { fail "$name with $run ranks"; continue; }
  done
  cmp "$name.0/model.safetensors" "$name.1/model.safetensors" || fail "$name: one rank differs from no MPI"
  for file in model.safetensors optimizer.safetensors; do
    cmp "$name.0/checkpoints/step-00000200/$file" "$name.1/checkpoints/step-00000200/$file" || fail "$name: $file"
  done
  same_bytes "$name.2" "$name.2b"
  for run in 1 2b; do
    figures "$name.${run%b}.log" >a
    [ $run = 1 ] && other=0 || other=2b
    figures "$name.$other.log" | cmp - a || fail "$name: the logs of $run and $other differ"
  done
  for run in 2 3 4; do compare "$name.0.log" "$name.$run.log" || fail "$name with $run ranks"; done
}
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
. "$LIB/sentences.sh"
records 300 class >class.jsonl
records 300 number >number.jsonl
records 300 set >set.jsonl
. "$LIB/choices.sh"
mv train.jsonl choose.jsonl
mv dev.jsonl choose-dev.jsonl
. "$LIB/answers.sh"
records 120 3 >answers.jsonl
. "$LIB/tags.sh"

python3 - <<'END'
import json
texts = [json.loads(line)["text"] for line in open("number.jsonl")]
scores = [json.loads(line)["label"] for line in open("number.jsonl")]
with open("pairs.jsonl", "w") as pairs, open("scored.jsonl", "w") as scored:
    for i, text in enumerate(texts):
        pair = {"text": text, "text_pair": " ".join(reversed(text.split()))}
        print(json.dumps(pair | {"negatives": texts[i + 1:i + 1 + i % 3]}), file=pairs)
        print(json.dumps(pair | {"label": scores[i]}), file=scored)
END

check pretrain --task pretrain -m "$golden/narrow" --batch-size 8 --accumulate 2 open.jsonl --dev open.jsonl
check replaced --task replaced --generator "$golden/narrow" --preset tiny --vocab "$golden/narrow/vocab.txt" --max-length 48 \
  --batch-size 8 open.jsonl --dev open.jsonl
check joint --task replaced --generator-size 0.5 --embedding-sharing gdes --preset tiny --vocab "$golden/narrow/vocab.txt" \
  --max-length 48 --batch-size 8 open.jsonl --dev open.jsonl
check classify --task classify -m "$MODELS/bare" --batch-tokens 90 --class-weights good=2 class.jsonl --dev class.jsonl
check regress --task regress -m "$MODELS/bare" --batch-size 9 number.jsonl --dev number.jsonl
check multilabel --task multilabel -m "$MODELS/bare" --batch-size 9 --optimizer lamb set.jsonl --dev set.jsonl
check tag --task tag -m "$MODELS/bare" --batch-size 6 train.jsonl --dev dev.jsonl --freeze 1
check answer --task answer -m "$MODELS/bare" --batch-size 9 --max-length 30 --stride 9 answers.jsonl --dev answers.jsonl
check embed --task embed -m "$MODELS/bare" --batch-size 5 --accumulate 2 --dims 8 pairs.jsonl --dev pairs.jsonl
check sparse --task embed -m "$MODELS/pretraining" --sparse max --query-table train --batch-size 5 --accumulate 2 pairs.jsonl --dev pairs.jsonl
check scored --task embed -m "$MODELS/bare" --batch-size 9 --pooling cls scored.jsonl --dev scored.jsonl
bert-embed -m "$MODELS/sentence-prompt" --pair-field '' --keep text,text_pair,embedding pairs.jsonl >taught.jsonl
check taught --task embed -m "$MODELS/bare" --batch-size 5 --accumulate 2 --loss mse taught.jsonl --dev taught.jsonl
sed 's/, "label.*/}/' scored.jsonl >plain.jsonl
sed 's/, "text_pair"/}\n{"text"/' plain.jsonl | bert-embed -m "$MODELS/sentence-prompt" --format npy -o guide.npy
check gist --task embed -m "$MODELS/bare" --batch-size 5 --accumulate 2 --loss gist --guide-vectors guide.npy plain.jsonl --dev plain.jsonl
# Only differences of its scores are learned, so the bias is rounding noise: the dev set has lists, too.
check rank --task rank -m "$MODELS/bare" --batch-size 5 --accumulate 2 --loss softmax pairs.jsonl --dev pairs.jsonl
check distill --task distill -m "$MODELS/bare" --teacher "$MODELS/masked-lm" --batch-size 9 number.jsonl --dev number.jsonl
check choose --task choose -m "$MODELS/bare" --batch-size 3 choose.jsonl --dev choose-dev.jsonl
end
