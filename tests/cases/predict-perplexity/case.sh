# Every token except special ones is masked once; with windows, in the window with the most context for it.
perplexity() { bert-predict -m "$MODELS/pretraining" --task perplexity --precision 0 "$@"; }
cat >texts <<'END'
the old king and the queen

the [MASK] king
[SEP] [MASK]
xyzzy 日本
END
perplexity texts
echo '-- the texts of a pair in either order; an empty second text adds no token'
cat >pairs.jsonl <<'END'
{"text":"the king","text_pair":"the queen"}
{"text":"the queen","text_pair":"the king"}
{"text":"","text_pair":""}
END
perplexity pairs.jsonl
echo '-- input_ids give the same result as their text, with and without special tokens'
echo 'the old king and the queen' | bert-tokenize -m "$MODELS/pretraining" | perplexity --drop text,input_ids,token_type_ids
echo '{"input_ids":[2,3]}' | perplexity
echo '-- long texts'
text='the old king and the queen said it was a good year for the cat and the dog'
for overflow in truncate split error; do
  echo "$text" | perplexity --max-length 9 --overlap 4 --overflow $overflow --drop text
done
echo '{"text":"the king","text_pair":"'"$text"'"}' | perplexity --max-length 14 --overlap 4 --overflow split --drop text,text_pair
echo '-- a truncated text has the perplexity of the remaining tokens'
echo 'the old king and the queen said' | perplexity --drop text
echo '-- a perplexity above the largest number'
cp -R "$MODELS/pretraining" sure
chmod -R u+w sure
header=$(od -An -tu4 -N4 sure/model.safetensors | tr -d ' ')
begin=$(head -c $((8 + header)) sure/model.safetensors | grep -ao '"cls.predictions.bias":{[^}]*' | sed 's/.*data_offsets": *\[\([0-9]*\).*/\1/')
printf '\312\362\111\161' | dd of=sure/model.safetensors bs=1 seek=$((8 + header + begin + 4 * 100)) conv=notrunc 2>dd.log # 1e30
echo 'the old king' | bert-predict -m sure --task perplexity
