#!/bin/sh
# An empty label, such as an empty cell of a table, is an error that names the line; labels that differ only in case or
# spaces are pointed out. A record of multilabel may have no labels.
train() { bert-train -m "$MODELS/bare" --steps 1 --out out "$@" >log; echo "exit $?"; [ ! -e out ] || grep -A 9 id2label out/config.json | grep -o '"[0-9]*": *"[^"]*"'; rm -rf out; }
printf 'text\tlabel\na b\t1\nc d\t\ne f\t  \ng h\t0\n' >t.tsv
train --task classify t.tsv
train --task classify --labels 0,1 t.tsv
train --task classify --on-error skip t.tsv
printf 'text\tlabel\na b\tx,y\nc d\t\ne f\tx,,y\n' >m.tsv
train --task multilabel m.tsv
sed 4d m.tsv >none.tsv
train --task multilabel none.tsv
printf '{"text":"a","label":["x",""]}\n{"text":"a","label":[]}\n' >m.jsonl
train --task multilabel m.jsonl
printf '{"words":["a","b"],"tags":["O","B-X"]}\n{"words":["a","b"],"tags":["O",""]}\n' >tags.jsonl
train --task tag tags.jsonl
printf 'text\tlabel\na b\tyes\nc d\tno\ne f\tYes\ng h\tno \n' >case.tsv
train --task classify case.tsv
