# --overflow windows: a record for each window of a long text, with its place in the text.
embed() { bert-embed -m "$MODELS/sharded" --dim 2 --precision 2 --overflow windows "$@"; }
printf 'the old king and the queen said it was a good year for the cat and the dog\ncat\n\n' >texts
embed --max-length 8 --overlap 2 texts
echo '-- the characters of a window have its vector'
head -n 2 texts >long
while read -r text; do
  echo "$text" | embed --max-length 8 --overlap 2 | while read -r record; do
    start=$(echo "$record" | jq .start) end=$(echo "$record" | jq .end)
    echo "$text" | cut -c "$((start + 1))-$end" | bert-embed -m "$MODELS/sharded" --dim 2 --precision 2 |
      jq -c --argjson window "$record" '.embedding == $window.embedding'
  done
done <long | sort | uniq -c | sed 's/^ *//'
echo '-- a pair: its second text is split; fields other than the texts stay'
echo '{"id":7,"text":"Ünd the king","text_pair":"and the Quëën said it was","label":"x"}' | embed --max-length 12 --overlap 1
echo '-- a prompt is not counted'
embed --prompt 'the old ' --max-length 12 --overlap 1 texts
echo '-- ids'
bert-tokenize -m "$MODELS/sharded" --tokens texts | embed --max-length 12 --overlap 1
echo '-- words'
printf '%s\n' '{"text":["the","old","king"]}' '{"words":["the","cat"]}' | embed --overlap 1
echo '-- formats'
embed --format csv --keep record,start,embedding --max-length 12 texts --overlap 1
embed --format tsv --max-length 12 texts --overlap 1
embed --format npy -o windows.npy --max-length 12 texts --overlap 1
head -c 127 windows.npy | tail -c +11 | sed 's/ *$//'
echo
echo '-- a part of a larger input'
embed --first-record 5 --max-length 12 --overlap 1 texts
echo '-- conflicts'
embed --pooling none texts
embed --format google texts
bert-tokenize -m "$MODELS/sharded" --overflow windows texts
