#!/bin/sh
# Invalid answers are reported with FILE and line, and with the text found instead.
cat >bad.jsonl <<'END'
{"question":"who","context":"the king and the queen","answers":{"text":["king"],"answer_start":[4]}}
{"question":"who","context":"the king and the queen","answers":{"text":["king"],"answer_start":[5]}}
{"question":"who","context":"the king\nand the queen","answers":{"text":["king and"],"answer_start":[4]}}
{"question":"who","context":"the king\nand the queen","answers":{"text":["king now"],"answer_start":[4]}}
{"question":"who","context":"the king","answers":{"text":["queen"],"answer_start":[99]}}
{"question":"who","context":"the king","answers":{"text":[""],"answer_start":[0]}}
{"question":"who","context":"the king","answers":{"text":["king"],"answer_start":[]}}
{"question":"who","context":"the king","answers":{"text":"king","answer_start":4}}
{"question":"who","context":"the king","answers":[{"text":"king","answer_start":4}]}
{"question":"who","context":"the king"}
{"question":"who","answers":{"text":[],"answer_start":[]}}
{"context":"the king","answers":{"text":[],"answer_start":[]}}
{"question":"who","context":"","answers":{"text":[],"answer_start":[]}}
END
train() { bert-train --task answer -m "$MODELS/bare" --lr 1e-3 --out out "$@" | sed 's/,.*/}/'; }
train --on-error skip --epochs 2 bad.jsonl
rm -rf out
train bad.jsonl
echo '{"data":[{"paragraphs":[{"context":"the king","qas":[{"id":"1","question":"who","answers":[{"text":"queen","answer_start":0}]}]}]}]}' >bad.json
train --input-format squad bad.json
echo '{"data":[{"paragraphs":[]}]}' | train --input-format squad --steps 2
