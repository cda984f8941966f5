#!/bin/sh
# --steps 0 evaluates a model on --dev, as at the end of its training, and writes nothing.
for i in 1 2 3 4 5 6; do echo "a	the king sang $i"; echo "b	a dog was old $i"; done >rows
(printf 'label\ttext\n'; cat rows) >train.tsv
bert-train --task classify -m "$MODELS/bare" --batch-size 4 --lr 1e-3 --epochs 3 -o model --dev train.tsv train.tsv >log
grep dev_loss log | tail -n 1 | sed 's/"step":[0-9]*/"step":0/' >expected
printf 'label\ttext\n1\tking\n2\tdog\n' >numbers.tsv
ln -s "$MODELS/bare" bare
before=$(ls)
bert-train --task classify -m model --steps 0 --dev train.tsv | cmp - expected && echo 'as in training'
[ "$(ls)" = "$before" ] && echo 'nothing was written'
bert-train --task classify -m model --steps 0
bert-train --task classify -m bare --steps 0 --dev train.tsv
bert-train --task regress -m model --steps 0 --dev numbers.tsv
bert-train --task classify --preset tiny --vocab "$MODELS/bare/vocab.txt" --steps 0 --dev train.tsv
bert-train --task classify -m model --steps 0 --dev train.tsv train.tsv | cmp - expected
bert-train --task classify -m model --steps 0 --dev train.tsv -o other | cmp - expected
bert-train -q --task classify -m model --steps 0 --dev train.tsv -o other train.tsv | cmp - expected
[ -e other ] || echo 'nothing was made'
# The dev set is read twice, but its records are counted once.
bert-train --task classify -m model --steps 0 --max-length 5 --dev train.tsv >/dev/null
printf 'label\ttext\na\tx\nc\ty\n' >other.tsv
bert-train --task classify -m model --steps 0 --dev other.tsv
bert-train --task classify -m model --steps 0 --labels b,a --dev train.tsv
bert-train --task classify -m model --steps 0 --class-weights balanced --dev train.tsv
