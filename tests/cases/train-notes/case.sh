# What is probably not meant gets a note, and the model is trained: files that are read twice, labels without records,
# weights of 0, a warmup that never ends. A classifier of pairs tells bert-predict.
. "$CASE/../lib/labels.sh"
note() { rm -rf out; train --task classify --out out "$@"; echo "exit $?"; }
records '"b"' '"a"' >one.jsonl
ln -s one.jsonl link.jsonl
note --dev link.jsonl one.jsonl r.jsonl
note one.jsonl r.jsonl ./one.jsonl
note --labels x,a,b one.jsonl
note --labels a,b,1,2,3,4,5,6,7 one.jsonl
note --class-weights a=0,b=0 one.jsonl
note --class-weights a=0 one.jsonl
note --warmup 1 one.jsonl
note --warmup 9 one.jsonl
note --warmup 9 --steps 1 -q one.jsonl
echo '--- pairs'
printf '{"text":"the king","text_pair":"%s","label":"%s"}\n' queen a king b >pairs.jsonl
predict() { bert-predict -m out --drop scores,prediction "$@"; }
note pairs.jsonl
grep text_pairs out/config.json
predict one.jsonl
predict -q one.jsonl
predict pairs.jsonl
cat one.jsonl pairs.jsonl | predict
bert-convert out -o copy && grep text_pairs copy/config.json
bert-train -m out --task classify --batch-size 4 --steps 1 --out again one.jsonl >log
grep text_pairs again/config.json || echo 'not of pairs'
