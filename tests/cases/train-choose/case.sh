#!/bin/sh
# Fine-tuning for any number of choices: the dev metrics equal those of bert-predict and bert-score.
records() {
  awk -v n="$1" 'BEGIN {
    split("good great love light", good); split("bad dark less old", bad); split("film story book music", thing)
    for (i = 0; i < n; ++i) {
      choices = 1 + i % 4; right = i * 7 % choices; text = "the " thing[int(i / 4) % 4 + 1]
      printf "{\"text\":\"%s\",%s\"choices\":[", text, i % 3 ? "" : "\"question\":\"it was\","
      for (k = 0; k < choices; ++k) printf "%s\"%s\"", k ? "," : "", k == right ? good[i % 4 + 1] : bad[(i + k) % 4 + 1]
      printf i % 5 ? "],\"label\":%d}\n" : "],\"label\":\"%d\"}\n", right
    }
  }'
}
train() { bert-train --task choose -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 "$@"; }
records 100 >train.jsonl
records 140 | tail -n 40 >dev.jsonl

echo '--- evaluation'
train --batch-size 10 --epochs 8 --best accuracy --dev dev.jsonl --out model train.jsonl >log
tail -n 1 log | sed 's/.*dev_accuracy":\([0-9.]*\)}/\1/' >expected
bert-predict -m model dev.jsonl | bert-score --task choose --metric accuracy | sed 's/.*accuracy":\([0-9.]*\)}/\1/' | diff expected - &&
  awk '{ print ($1 > 0.95 ? "learned" : "not learned") }' expected
bert-predict -m model dev.jsonl | head -n 2 | sed 's/[0-9]\.[0-9e.-]*/N/g'
grep -A 1 architectures model/config.json

echo '--- input_ids instead of texts, and truncated texts'
echo '{"input_ids":[[2,5,3,6,3],[2,5,3,7,8,3]],"token_type_ids":[[0,0,0,1,1],[0,0,0,1,1,1]],"label":1}' >ids.jsonl
train --steps 1 --dev ids.jsonl --out ids ids.jsonl | grep -c dev_accuracy
train --steps 1 --max-length 5 --dev dev.jsonl --out cut train.jsonl | tail -n 1 | sed 's/.*dev_accuracy":\([0-9.]*\)}/\1/' >expected
bert-predict -m cut -q dev.jsonl | bert-score --task choose --metric accuracy | sed 's/.*accuracy":\([0-9.]*\)}/\1/' | diff expected - && echo same

echo '--- equal bytes for any number of threads, and for 9 steps = 4 + 5'
parts() { train --steps 9 --batch-size 6 --accumulate 2 --save-every 4 --keep 9 --out "$@" train.jsonl >/dev/null; }
parts whole -j 1
parts four -j 4
cp -R whole stopped
rm -r stopped/model.safetensors stopped/checkpoints/step-00000008 stopped/checkpoints/step-00000009
parts stopped --resume
for run in four stopped; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done

echo '--- bad records'
cat >bad.jsonl <<'END'
{"text":"the king","choices":["a","b"],"label":2}
{"text":"the king","choices":["a","b"],"label":-1}
{"text":"the king","choices":["a","b"],"label":"a"}
{"text":"the king","choices":["a","b"]}
{"text":"the king","choices":[],"label":0}
{"text":"the king","choices":"a","label":0}
{"text":"the king","label":0}
{"choices":["a","b"],"label":0}
{"input_ids":[[2,5,3],[2,400,3]],"label":0}
{"text":"the king","choices":["a","b"],"label":1}
END
train --on-error skip --steps 1 --out bad bad.jsonl | wc -l
rm -rf bad
train --steps 1 --out bad bad.jsonl
printf 'text\tchoices\tlabel\na\tb\t0\n' >x.tsv
train --steps 1 --out bad x.tsv
