# Makes r.jsonl, records with the labels a, b and c, and functions that write records and train on them.
train() { bert-train -m "$MODELS/bare" --batch-size 4 --steps 1 --lr 1e-3 "$@" >/dev/null; }
classify() { rm -rf out; train --task classify --out out "$@"; [ $? = 0 ] && sed -n '/id2label/,/}/p' out/config.json | tr -d ' \n' && echo; }
# records LABEL...: one record for each.
records() { for label in "$@"; do printf '{"text":"a good day","label":%s}\n' "$label"; done; }
records '"c"' '"a"' '"b"' '"a"' >r.jsonl
