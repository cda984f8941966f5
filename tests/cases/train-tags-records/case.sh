#!/bin/sh
# Bad records with tags are reported; in CoNLL files with the line.
. "$CASE/../lib/tags.sh"
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
