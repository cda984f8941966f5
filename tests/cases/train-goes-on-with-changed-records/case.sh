# A run over FILEs is resumed after records were changed, removed and added: it says so, and the order of what follows
# depends on nothing else.
say() { echo "--- ${1#--- }"; echo "--- ${1#--- }" >&2; }
train() { bert-train --task regress -m "$MODELS/bare" --batch-size 4 --lr 1e-3 --schedule constant --warmup 0 -j 1 -o "$@" records.jsonl >log; }
same() { cmp "$1/model.safetensors" "$2/model.safetensors" && echo "$1 = $2"; }
records() { awk -v from="$1" -v to="$2" 'BEGIN { for (n = from; n < to; n++) printf "{\"text\":\"the king %d\",\"label\":%.1f}\n", n, n % 7 / 2 }'; }
records 0 40 >original.jsonl
# The input of each part is records.jsonl.
begin() { cp original.jsonl records.jsonl; train "$1" -q --steps 4; }
go_on() { say "--- $1"; train "$1" --resume --steps 30; }
begin unchanged
begin line-ends && sed 's/$/\r/' original.jsonl >records.jsonl && go_on line-ends
cp original.jsonl records.jsonl && go_on unchanged
same line-ends unchanged
begin mended && sed 's/king 7"/queen"/' original.jsonl >records.jsonl && go_on mended
begin fewer && sed '5d; 9s/king/queen/' original.jsonl >records.jsonl && go_on fewer
begin more && { records 40 50; cat original.jsonl; } >records.jsonl && go_on more
begin moved && tac original.jsonl >records.jsonl && go_on moved
say '--- the same again, stopped in between'
begin again && { records 40 50; cat original.jsonl; } >records.jsonl && train again --resume --steps 7 2>/dev/null && train again --resume --steps 30
same again more
say '--- epochs: each record is read as often as the epochs say'
epochs() { bert-train --task regress -m "$MODELS/bare" --batch-size 4 --lr 1e-3 -j 1 --log-every 100 -o epochs records.jsonl "$@" | sed 's/,.*/}/'; }
cp original.jsonl records.jsonl
epochs --epochs 1
{ records 40 52; cat original.jsonl; } >records.jsonl
epochs --epochs 2 --resume
say '--- records of a checkpoint that does not list them must be the same'
rm epochs/checkpoints/*/records.bin
cp original.jsonl records.jsonl
epochs --epochs 3 --resume
