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
