#!/bin/sh
# Unsuitable window options, and records without a question or context, are reported.
. "$CASE/../lib/questions.sh"
head -n 2 records.jsonl | tail -n 1 >q2
answer --overlap 3 q2
answer --overflow truncate q2
answer --max-length 20 --max-question-length 17 q2
answer --max-length 3 q2
cat >bad.jsonl <<'END'
{"question":"who"}
{"context":"the king"}
{"question":"who","context":["the","king"]}
{"input_ids":[2,3]}
{"question":"who","context":"the king"}
END
answer --on-error skip bad.jsonl
