# Makes records.jsonl, questions about contexts, and a function that answers them.
answer() { bert-predict -m "$MODELS/answer" --precision 3 --drop question,context "$@"; }
cat >records.jsonl <<'END'
{"id":"q1","question":"Who is the king?","context":"Der König 🦊 of Paris, unreadable 日本!","answers":{"text":[],"answer_start":[]}}
{"id":"q2","question":"where","context":"the cat and the dog take a long way home over the river, the cat and the dog take a long way home"}
{"id":"q3","question":"","context":"one"}
{"id":"q4","question":"nothing to read","context":""}
{"id":"q5","question":"the old king and the queen said it was a good year for the cat and the dog and the man and the way home","context":"a good year"}
END
