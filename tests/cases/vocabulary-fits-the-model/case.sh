# A vocabulary with more tokens than the model has rows is refused; one with far fewer is noted, since the rows may be
# padded.
cp -R "$MODELS/bare" model
chmod -R u+w model
embed() { echo 'the king' | bert-embed -m model --keep text "$@"; echo "exit $?"; }
lines() { head -n "$1" "$MODELS/bare/vocab.txt" >model/vocab.txt; }
for count in 60 220 221; do lines $count; embed; done
lines 60
embed -q
cp -R "$MODELS/classify/." model
lines 20
bert-predict -m model --keep text --quiet </dev/null
bert-predict -m model --keep text </dev/null
{ cat "$MODELS/bare/vocab.txt" && printf 'zebra\n'; } >model/vocab.txt
embed
bert-predict -m model </dev/null
echo '{"text":"the king"}' >index
bert-search --dedup 0.9 -m model index
echo '--- an added token beyond the last row'
cp "$MODELS/bare/vocab.txt" model
printf '{"zebra":245}\n' >model/added_tokens.json
embed
echo 'zebra' | bert-embed -m model
