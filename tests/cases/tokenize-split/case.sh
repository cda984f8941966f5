#!/bin/sh
# Long records become windows. A single text slides as a whole; in a pair A stays and B slides. Short records
# have one window.
cat >pairs.jsonl <<'END'
{"id":1,"text":"a b c d e f g h i"}
{"id":2,"text":"a b","text_pair":"c d e f g h i"}
{"id":3,"text":"a"}
END
bert-tokenize -m "$MODELS/bare" --max-length 8 --overflow split --overlap 1 --tokens --word-ids --offsets chars \
  --drop text,text_pair,input_ids pairs.jsonl
echo '{"text":"a b c d e f","text_pair":"g h"}' |
  bert-tokenize -m "$MODELS/bare" --max-length 8 --overflow split --overlap 1
