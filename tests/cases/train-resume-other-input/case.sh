# A run is not resumed with another tokenizer, or from a pipe that no longer has the records used so far.
say() { echo "--- ${1#--- }"; echo "--- ${1#--- }" >&2; }
cp -R "$MODELS/bare" start
chmod -R u+w start
awk 'BEGIN { for (n = 0; n < 40; n++) printf "{\"text\":\"The King %d\",\"label\":%.1f}\n", n, n % 7 / 2 }' >records.jsonl
train() { bert-train -q --task regress -m start --batch-size 4 --lr 1e-3 -j 1 --shuffle-buffer 8 -o "$@" >log; echo "exit $?"; }
train files --steps 5 records.jsonl
train pipe --steps 5 <records.jsonl
say '--- other settings of the tokenizer'
cp start/tokenizer_config.json kept
sed -i 's/"do_lower_case": true/"do_lower_case": false/; s/"strip_accents": true/"strip_accents": false/' start/tokenizer_config.json
train files --steps 9 --resume records.jsonl
train pipe --steps 9 --resume <records.jsonl
sed 's/"model_max_length": [0-9]*/"model_max_length": 20/; s/^{/{"truncation_side": "left",/' kept >start/tokenizer_config.json
train files --steps 9 --resume records.jsonl
cp kept start/tokenizer_config.json
say '--- another standard input'
tac records.jsonl | train pipe --steps 9 --resume
sed 1d records.jsonl | train pipe --steps 9 --resume
sed '3s/"label":[0-9.]*/"label":9/' records.jsonl | train pipe --steps 9 --resume
say '--- records that were not used yet may change'
sed '40s/"label":[0-9.]*/"label":9/' records.jsonl | train pipe --steps 9 --resume
train files --steps 9 --resume records.jsonl
