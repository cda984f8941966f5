#!/bin/sh
# Pre-split words: word ids are their indexes, and offsets are relative to each word.
cat >words.jsonl <<'END'
{"words":["The","cats","","don't"],"tags":["O","O","O","O"]}
{"words":[]}
{"text":"the cats","words":["not read"]}
{"words":["the"],"text_pair":"cat"}
END
bert-tokenize -m "$MODELS/bare" --tokens --word-ids --offsets chars words.jsonl
echo '{"t":["the","cat"]}' | bert-tokenize -m "$MODELS/bare" --text-field t --word-ids
