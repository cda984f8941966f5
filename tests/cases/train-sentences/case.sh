#!/bin/sh
# Fine-tuning for sentences: the dev metrics during training equal those of bert-predict and bert-score.
# records N FORM: sentences that each contain something good or bad.
records() {
  awk -v n="$1" -v form="$2" 'BEGIN {
    split("good great love light", good); split("bad dark less old", bad); split("film story book music", thing)
    for (i = 0; i < n; ++i) {
      kind = i * 7 % 3 % 2; word = kind ? good[i % 4 + 1] : bad[i % 4 + 1]; about = thing[int(i / 4) % 4 + 1]
      if (form == "class") printf "{\"text\":\"the %s was %s\",\"label\":\"%s\"}\n", about, word, kind ? "good" : "bad"
      if (form == "number") printf "{\"text\":\"%s %s\",\"text_pair\":\"it is %s\",\"label\":%s}\n", word, about, word, kind * 2.3 + i % 4 / 10
      if (form == "set") printf "{\"text\":\"the %s is %s\",\"label\":[\"%s\"%s]}\n", about, word, about, kind ? ",\"good\"" : ""
    }
  }'
}
train() { bert-train -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 "$@"; }
# figures LOG: the last dev metrics, as bert-score prints them.
figures() { sed -n '$s/.*"dev_loss":[^,]*,//p' "$1" | sed 's/dev_//g; s/}//' | tr , '\n' | sort; }
scored() { bert-predict -m "$1" --threshold 0.4 "$2" | bert-score --task "$3" | sed 's/"records":[0-9]*,//; s/"positive":"[a-z]*",//; s/,"ece":[^,}]*//; s/[{}]//g' | tr , '\n' | sort; }

# same TASK FORM OPTION...
same() {
  task=$1 form=$2
  shift 2
  records 90 "$form" >train.jsonl
  records 40 "$form" | tail -n 25 >dev.jsonl
  echo "--- $task"
  train --task "$task" --batch-size 10 "$@" --dev dev.jsonl --out "$task" train.jsonl >"$task.log" || echo "exit $?"
  sed -n 's/,.*//p' "$task.log"
  figures "$task.log" >expected
  scored "$task" dev.jsonl "$task" | diff expected - && sed 's/:.*//' expected
  bert-predict -m "$task" dev.jsonl | head -n 1 | sed 's/:-*[0-9][0-9.e-]*/:N/g'
}
same classify class
same regress number
same multilabel set --threshold 0.4
sed -n 's/,"dev_loss.*"dev_accuracy"/ "dev_accuracy"/p' classify.log | sed 's/,"dev_f1.*//'

echo '--- equal bytes for any number of threads, and for 9 steps = 4 + 5'
parts() { train --task classify --labels bad,good --batch-size 10 --steps 9 --no-shuffle --out "$@"; }
records 90 class >train.jsonl
parts whole -j 1 train.jsonl >whole.jsonl
parts four -j 4 <train.jsonl >four.jsonl
head -n 40 train.jsonl | parts stopped >stopped.jsonl
parts stopped --resume <train.jsonl >>stopped.jsonl
for run in four stopped; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done

echo '--- TSV'
{ echo 'id	sentence	class'; records 30 class | sed 's/.*"text":"\(.*\)","label":"\(.*\)"}/7	\1	\2/'; } >train.tsv
train --task classify --text-field sentence --label-field class --epochs 1 --dev train.tsv --out tsv train.tsv | wc -l

echo '--- --patience'
records 90 class >train.jsonl
records 40 class | tail -n 25 >dev.jsonl
train --task classify --epochs 50 --batch-size 15 --lr 0 --best accuracy --patience 2 --dev dev.jsonl --out patient train.jsonl | sed 's/,.*//'
# The accuracies are a, a, b, c, c, c: at the fifth evaluation the second one no longer counts.
train --task classify --epochs 8 --batch-size 10 --lr 1e-3 --best accuracy --patience 2 --dev dev.jsonl --out better train.jsonl | tail -n 1 | sed 's/,.*//'

echo '--- --freeze and --layer-decay: frozen layers keep their bits, others change'
records 90 class >train.jsonl
train --task classify --epochs 1 --freeze 1 --out frozen train.jsonl >/dev/null
train --task classify --epochs 1 --layer-decay 0.5 --out slow train.jsonl >/dev/null
train --task classify --freeze 2 --out none train.jsonl
# Frozen layers have no gradient, so they do not count in gradient clipping.
norm() { train --task classify --steps 1 --lr 0 --dropout 0 "$@" train.jsonl | sed 's/.*"gradient_norm":\([0-9.]*\).*/\1/'; }
echo "$(norm --out all) $(norm --freeze 1 --out upper)" | awk '{ print ($2 < $1 ? "a smaller norm" : "not a smaller norm: " $0) }'
# tensor MODEL NAME: prints a checksum of a tensor's numbers.
tensor() {
  header=$(od -An -N8 -tu8 "$1/model.safetensors" | tr -d ' ')
  range=$(head -c $((8 + header)) "$1/model.safetensors" | tail -c "$header" | sed "s/.*\"$2\"[^]]*\][^[]*\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/")
  tail -c +$((9 + header + ${range% *})) "$1/model.safetensors" | head -c $((${range#* } - ${range% *})) | cksum
}
for name in embeddings.word_embeddings.weight encoder.layer.0.output.dense.weight pooler.dense.weight; do
  for model in frozen slow; do
    if [ "$(tensor "$MODELS/bare" "$name")" = "$(tensor $model "bert.$name")" ]; then same=yes; else same=no; fi
    echo "$name of $model as before: $same"
  done
done

echo '--- truncated texts are counted once in all epochs' >&2
train --task classify --epochs 3 --max-length 5 --out cut train.jsonl >/dev/null
bert-predict -m cut train.jsonl -o /dev/null

echo '--- dev metrics of long texts are equal to the last digit, too'
awk 'BEGIN {
  split("good great love light bad dark less old film story book music the was is river", word)
  for (i = 0; i < 24; ++i) {
    text = word[i % 16 + 1]
    for (j = 0; j < 20 * i; ++j) text = text " " word[(i * i + j * (i + 3)) % 16 + 1]
    printf "{\"text\":\"%s\",\"label\":%d}\n", text, i * 5 % 7
  }
}' >long.jsonl
bert-train --task regress --preset tiny --vocab "$MODELS/bare/vocab.txt" --batch-size 6 --epochs 1 --lr 1e-3 --dev long.jsonl --out long long.jsonl >long.log
figures long.log >expected
scored long long.jsonl regress | diff expected - && sed 's/:.*//' expected
