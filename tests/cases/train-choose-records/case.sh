#!/bin/sh
# Records without choices, or without a label that names one, are reported.
train() { bert-train --task choose -m "$MODELS/bare" --dropout 0.1 --lr 3e-3 "$@"; }
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
