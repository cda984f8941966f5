# A CSV file whose cells have commas, quotes and line ends gives what the same records in JSONL give, in every tool that
# reads tables; an error names the first line of its record.
vocabulary=$MODELS/pretraining/vocab.txt
train() { bert-train -q --task classify --preset tiny --vocab "$vocabulary" --steps 3 --batch-size 2 --max-length 16 "$@" >/dev/null; }
{
  printf '"id","text","label"\r\n'
  printf 'a,"the ""old"" king,\r\nsaid",good\r\n'
  printf 'b,"old\n\n,\nriver",bad\r\n'
  printf '\r\nc,"the queen",good\r\n'
  printf 'd,"a\nman",bad'
} >table.csv
cat >table.jsonl <<'END'
{"id":"a","text":"the \"old\" king,\r\nsaid","label":"good"}
{"id":"b","text":"old\n\n,\nriver","label":"bad"}
{"id":"c","text":"the queen","label":"good"}
{"id":"d","text":"a\nman","label":"bad"}
END
same() { cmp "$1.csv" "$1.jsonl" && echo "$1: the same"; }
for form in csv jsonl; do
  bert-tokenize --vocab "$vocabulary" table.$form >tokenize.$form
  bert-embed -m "$MODELS/bare" table.$form >embed.$form
  bert-predict -m "$MODELS/classify" table.$form >predict.$form
  bert-vocab --size 60 -o vocab.$form table.$form
  train -o model.$form --dev table.$form table.$form && cp model.$form/model.safetensors train.$form
  bert-predict -m model.$form --format csv --keep id,prediction table.jsonl >predicted.csv
  bert-score --task classify --gold table.$form predicted.csv >score.$form 2>/dev/null
done
for what in tokenize embed predict vocab train score; do same $what; done
echo '--- from a pipe, by its header'
for tool in "bert-tokenize --vocab $vocabulary" "bert-embed -m $MODELS/bare" "bert-predict -m $MODELS/classify"; do
  $tool table.csv >file && $tool <table.csv | cmp - file && echo "${tool%% *}: the same"
done
echo '--- errors after cells of several lines'
{ cat table.csv && printf '\ne,x,good,y\n'; } >wide.csv
{ cat table.csv && printf '\ne,"x,good\nf,y,bad\n'; } >open.csv
for file in wide.csv open.csv; do
  bert-tokenize --vocab "$vocabulary" $file >/dev/null
  bert-embed -m "$MODELS/bare" $file >/dev/null
  bert-predict -m "$MODELS/classify" $file >/dev/null
  bert-vocab --size 60 -o none $file
  train -o none $file
  train -o none --dev $file table.csv
  bert-score --task classify --gold $file predicted.csv
done
echo '--- several labels: separated by commas, or as a table of predictions has them'
printf 'id,text,label\n1,the king,"film,music"\n2,old,\n' >labels.csv
bert-predict -m "$MODELS/multilabel" --threshold 0.4 labels.csv >predicted.jsonl
bert-predict -m "$MODELS/multilabel" --threshold 0.4 --format csv labels.csv >predicted.csv
for form in jsonl csv; do bert-score --task multilabel predicted.$form; done
