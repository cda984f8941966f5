#!/bin/sh
# Fine-tuning for tags: the dev metrics during training equal those of bert-predict and bert-score.
# sentences FORM FIRST LAST: words with tags, IOB1 in columns and BIO in JSON; every sixth is longer than a
# window.
sentences() {
  awk -v form="$1" -v first="$2" -v last="$3" 'BEGIN {
    split("old Paris the King of Paris said a good year", word); split("O LOC O PER PER LOC O O O O", type)
    for (n = first; n <= last; ++n) {
      line = "# id = " n "\n"; words = tags = ""; before = "O"
      for (w = 0; w < (n % 6 ? n % 7 + 1 : 40); ++w) {
        i = (n * 7 + w * (1 + n % 3)) % 10 + 1; now = type[i]
        bio = now == "O" ? "O" : (now == before ? "I-" : "B-") now
        line = line word[i] " _ " (now == "O" ? "O" : "I-" now) "\n"
        words = words (w ? "," : "") "\"" word[i] "\""; tags = tags (w ? "," : "") "\"" bio "\""
        before = now
      }
      if (form == "conll") print (n % 10 ? "" : "-DOCSTART- -X- O\n\n") line
      else print "{\"words\":[" words "],\"tags\":[" tags "]}"
    }
  }'
}
train() { bert-train --task tag -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 --batch-size 10 "$@"; }
# figures LOG: the last dev metrics, as bert-score prints them.
figures() { sed -n 's/.*"dev_loss":[^,]*,//p' "$1" | tail -n 1 | sed 's/dev_//g; s/}//' | tr , '\n' | sort; }
scored() { bert-predict "$@" | bert-score --task tag --metric precision,recall,f1,accuracy | sed 's/"records":[0-9]*,"words":[0-9]*,//; s/[{}]//g' | tr , '\n' | sort; }
labels() { sed -n '/id2label/,/}/p' "$1/config.json" | tr -d ' \n' && echo; }

sentences conll 1 90 >train.conll
sentences conll 91 120 >dev.conll
sentences json 1 90 >train.jsonl
sentences json 91 120 >dev.jsonl
head -n 5 train.conll
head -n 1 train.jsonl
echo '--- dev metrics equal those of bert-score, also with windows'
for form in conll jsonl; do
  train --epochs 3 --dev dev.$form --eval-every 5 --out $form train.$form >$form.log || echo "exit $?"
  sed -n 's/.*"dev_f1":\([0-9.]*\).*/\1/p' $form.log | awk 'NR == 1 { first = $1 } END { print NR " measurements, " (($1 > 0.7 && $1 > first + 0.1) ? "better" : "not better: " first " " $1) }'
  figures $form.log >expected
  scored -m $form dev.$form | diff expected - && sed 's/:.*//' expected
  labels $form
done
cmp conll/model.safetensors jsonl/model.safetensors && echo 'the same model'
echo 'old Paris' | bert-predict -m conll --drop entities
printf 'old\nParis\n' | bert-predict -m conll --input-format conll --drop entities
train --epochs 2 --max-length 8 --dev dev.jsonl --out short train.jsonl >short.log
figures short.log >expected
scored -m short --max-length 8 dev.jsonl | diff expected - && echo 'so with short windows'

echo '--- equal bytes for any number of threads, and for 8 steps = 4 + 4'
parts() { train --labels O,B-LOC,B-PER,I-PER --steps 8 --no-shuffle --out "$@"; }
parts whole -j 1 train.jsonl >/dev/null
parts four -j 4 <train.jsonl >/dev/null
head -n 40 train.jsonl | parts stopped 2>/dev/null >/dev/null
parts stopped --resume <train.jsonl >/dev/null
for run in four stopped; do cmp whole/model.safetensors $run/model.safetensors && echo "whole = $run"; done

echo '--- --class-weights; continued training keeps the labels of the model'
train --steps 1 --class-weights balanced --out balanced train.jsonl | sed 's/,.*//'
bert-train --task tag -m conll --steps 1 --lr 0 --dropout 0 --out on train.conll >/dev/null
cmp conll/model.safetensors on/model.safetensors && labels on

echo '--- the metric of tags that are not BIO is accuracy'
sed 's/B-LOC/NOUN/g; s/B-PER/NOUN/g; s/"O"/"X"/g' train.jsonl >nouns.jsonl
train --steps 2 --dev nouns.jsonl --out nouns nouns.jsonl | sed -n 's/"dev_[a-z]*":[0-9.]*/&\n/gp' | sed -n 's/.*"\(dev.*\)":.*/\1/p'
train --steps 2 --dev nouns.jsonl --best f1 --out best nouns.jsonl

echo '--- bad records'
bad() { rm -rf bad; printf "$1" >"bad.$2"; train --steps 1 --labels O,B-X --out bad "bad.$2"; }
bad '{"words":["a"],"tags":["O","O"]}\n' jsonl
bad '{"words":["a"]}\n' jsonl
bad '{"tags":["O"]}\n' jsonl
bad '{"words":["a"],"tags":["B-Y"]}\n' jsonl
bad '{"words":["a"],"tags":[1]}\n' jsonl
bad 'a O\nb O\n\nc X O\nd\n' conll
bad 'a\nb\n' conll
printf 'a O\n\nb X O\nc\n\na I-X\n' >bad.conll
train --steps 1 --on-error skip --out skipped bad.conll >/dev/null
labels skipped
printf 'a O\nb O\n' >one.conll
train --steps 1 --out one one.conll
train --steps 1 --out one <train.conll
ls
