# The answer span from a context in windows; no answer with a threshold.
answer() { bert-predict -m "$MODELS/answer" --precision 3 --drop question,context "$@"; }
cat >records.jsonl <<'END'
{"id":"q1","question":"Who is the king?","context":"Der König 🦊 of Paris, unreadable 日本!","answers":{"text":[],"answer_start":[]}}
{"id":"q2","question":"where","context":"the cat and the dog take a long way home over the river, the cat and the dog take a long way home"}
{"id":"q3","question":"","context":"one"}
{"id":"q4","question":"nothing to read","context":""}
{"id":"q5","question":"the old king and the queen said it was a good year for the cat and the dog and the man and the way home","context":"a good year"}
END
answer records.jsonl
echo '-- n best'
answer --n-best 3 --max-answer-length 2 records.jsonl | cut -c 1-230
echo '-- no answer'
answer --no-answer-threshold 0 records.jsonl
answer --no-answer-threshold -100 --n-best 1 records.jsonl
echo '-- with any stride, the last window ends at the end of the text'
head -n 2 records.jsonl | tail -n 1 >q2
for stride in 1 7 100; do answer --max-length 16 --stride $stride q2; done
echo '-- columns'
printf 'question\tcontext\nwho\tthe king\n' | answer --input-format tsv
echo '-- refused'
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
echo '-- --format squad'
sed 's/"q3"/3/' records.jsonl | answer --format squad
sed 's/"id":"q[14]",//' records.jsonl | answer --format squad --on-error skip
sed 's/"id":"q3",//' records.jsonl | answer --format squad
answer --format squad </dev/null
echo text | bert-predict -m "$MODELS/classify" --format squad
