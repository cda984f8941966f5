# A field that a record or a table lacks: what there is instead, and the option that names it.
put() { printf "$2" >"$1"; }
put dev.tsv 'sentence\tlabel\nthe king\t1\n'
put upper.csv 'TEXT,LABEL\nthe king,1\n'
put cola.tsv 'gj04\t1\t\tOur friends won.\ngj04\t0\t*\tOld.\n'
put one.csv 'title\nthe king\n'
put empty.tsv 'sentence\tlabel\n'
put x.jsonl '{"title":"a","body":"b"}\n'
put X.jsonl '{"Text":"a","Label":"b"}\n'
put none.jsonl '{}\n'
put text.txt 'the king\n'
try() { "$@"; echo "exit $?"; }
for tool in bert-tokenize bert-embed; do
  for file in dev.tsv upper.csv cola.tsv one.csv x.jsonl X.jsonl none.jsonl; do try $tool -m "$MODELS/bare" $file; done
done
try bert-predict -m "$MODELS/classify" dev.tsv
try bert-predict -m "$MODELS/classify" --text-field sentnce --on-error skip dev.tsv
try bert-predict -m "$MODELS/classify" --columns sentence,label dev.tsv
try bert-vocab dev.tsv
try bert-predict -m "$MODELS/classify" empty.tsv
echo '--- labels'
train() { try bert-train --steps 1 -o out "$@"; }
train --task classify -m "$MODELS/bare" dev.tsv
train --task classify -m "$MODELS/bare" --text-field sentence --label-field gold dev.tsv
train --task classify -m "$MODELS/bare" upper.csv
train --task classify -m "$MODELS/bare" --text-field Text X.jsonl
train --task classify -m "$MODELS/bare" cola.tsv
train --task tag -m "$MODELS/bare" x.jsonl
train --task pretrain -m "$MODELS/pretraining" text.txt
train --task classify -m "$MODELS/bare" text.txt
echo '--- pairs'
try bert-predict -m "$MODELS/rank" text.txt
try bert-predict -m "$MODELS/rank" --text-field title x.jsonl
try bert-predict -m "$MODELS/rank" --text-field title --pair-field bdy x.jsonl
try bert-predict -m "$MODELS/rank" --text-field sentence dev.tsv
try bert-predict -m "$MODELS/next" text.txt
try bert-predict -m "$MODELS/answer" x.jsonl
echo '--- gold'
put predicted.jsonl '{"id":1,"prediction":"1"}\n'
put gold.tsv 'ID\tgold\n1\t1\n'
try bert-score --task classify predicted.jsonl
try bert-score --task classify x.jsonl
try bert-score --task classify --gold gold.tsv predicted.jsonl
try bert-score --task classify --gold gold.tsv --label-field gold predicted.jsonl
