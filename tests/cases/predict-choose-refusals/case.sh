#!/bin/sh
# Records without valid choices are reported.
choose() { bert-predict -m "$MODELS/choose" --precision 3 "$@"; }
cat >bad.jsonl <<'END'
{"id":1,"text":"no choices"}
{"id":2,"text":"a text","choices":[]}
{"id":3,"text":"a text","choices":"one"}
{"id":4,"text":"a text","choices":["one",2]}
{"id":5,"text":"a text","choices":["one"],"question":7}
{"id":6,"choices":["one"]}
{"id":7,"input_ids":[2,3],"choices":["one"]}
{"id":8,"input_ids":[]}
{"id":9,"input_ids":[[2,3],[2,-1,3]]}
{"id":10,"input_ids":[[2,3],[2,4,3]],"token_type_ids":[[0,0]]}
{"id":11,"input_ids":[[2,3],[2,4,3]],"token_type_ids":[[0,0],[0,0]]}
{"id":12,"input_ids":[[2,3],[]]}
{"id":13,"input_ids":[[2,3],["a"]]}
{"id":14,"input_ids":[[2,3]],"token_type_ids":[0,0]}
{"id":15,"input_ids":[[2,3]],"token_type_ids":0}
{"id":16,"text":"the old one","choices":["the last"]}
END
choose --on-error skip --drop text bad.jsonl
echo "exit $?"
echo a text | choose
echo "exit $?"
