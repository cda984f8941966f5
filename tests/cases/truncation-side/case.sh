# truncation_side of tokenizer_config.json, or the direction in tokenizer.json's truncation block, decides which end
# of a long text is cut, in every tool. The ids of the texts and pairs are those of transformers 5.24.
copy() { cp -R "$MODELS/$1" "$2" && chmod -R u+w "$2"; }
left() { sed -i 's/^{/{"truncation_side":"left",/' "$1/tokenizer_config.json"; }
copy sentence-old right
copy sentence-old left
left left
long='the old king took a long way home over river and book'
printf '{"text":"%s"}\n' "$long $long" >texts
printf '{"text":"%s","text_pair":"%s"}\n' 'the old king took a long way home' 'the queen is good and the book is old and long' \
  'the queen is good and the book is old and long' 'the old king took a long way home' \
  king 'the queen is good and the book is old and long' >>texts
for side in left right; do
  echo "-- $side"
  bert-tokenize -q -m $side --max-length 12 --keep input_ids texts
done
echo '-- bert-embed reads the end of a text'
bert-embed -q -m left --max-length 12 --keep embedding texts >last
bert-tokenize -q -m left --max-length 12 --drop text,text_pair texts | bert-embed -q -m left --keep embedding | cmp last - && echo as tokenized
bert-embed -q -m right --max-length 12 --keep embedding texts | cmp -s last - || echo not the beginning
echo '-- windows are cut from the end, too'
head -n 1 texts | bert-tokenize -q -m left --max-length 12 --overflow split --overlap 2 --keep input_ids,window
echo '-- bert-predict'
copy classify beginning
copy classify end
left end
bert-predict -q -m end --max-length 12 --keep prediction,scores texts >end.jsonl
bert-tokenize -q -m end --max-length 12 --drop text,text_pair texts | bert-predict -q -m end --keep prediction,scores | cmp end.jsonl - && echo as tokenized
bert-predict -q -m beginning --max-length 12 --keep prediction,scores texts | cmp -s end.jsonl - || echo not the beginning
copy answer asked
left asked
printf '{"question":"who is the old king","context":"%s"}\n' "$long" |
  bert-predict -q -m asked --max-question-length 2 --max-length 12 --stride 4 --keep prediction,start,end
echo '-- bert-train learns from the end and keeps the setting'
sed 's/}$/,"label":"a"}/' texts >train.jsonl
sed 's/}$/,"label":"b"}/; s/old/new/' texts >>train.jsonl
train() { bert-train -q --task classify --labels a,b --steps 2 --max-length 12 "$@" >/dev/null; }
bert-tokenize -q -m end --max-length 12 --drop text,text_pair train.jsonl >ids.jsonl
train -m end -o trained train.jsonl
train -m end -o same ids.jsonl
cmp same/model.safetensors trained/model.safetensors && echo as tokenized
grep truncation_side trained/tokenizer_config.json
bert-convert left --out converted && grep truncation_side converted/tokenizer_config.json
echo '-- other values are refused'
sed -i 's/"left"/"middle"/' left/tokenizer_config.json
bert-tokenize -m left texts
bert-embed -m left texts
