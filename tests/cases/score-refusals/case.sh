#!/bin/sh
# Records that cannot be scored are reported, without any output.
try() { task=$1; shift; printf '%s\n' "$@" | bert-score --task "$task"; echo "exit $?"; }
try classify '{"label":"a"}'
try classify '{"prediction":"a"}'
try classify '{"label":1.5,"prediction":"a"}'
try classify '{"label":true,"prediction":"a"}'
try classify '{"label":"a","label":"b","prediction":"a"}'
try classify '{"label":"a","prediction":"a"}' '{"label":"a",'
try classify 'a text'
try next '{"next_sentence_label":2,"prediction":"is_next"}'
try regress '{"label":"high","prediction":1}'
try regress '{"label":1,"prediction":null}'
try multilabel '{"label":1,"prediction":["x"]}'
try multilabel '{"label":["x"],"prediction":[1.5]}'
try tag '{"tags":["O"],"prediction":["O","O"]}'
try tag '{"tags":["O"],"prediction":["PER"]}'
try tag '{"prediction":["O"]}'
try answer '{"answers":{"answer_start":[1]},"prediction":"x"}'
try answer '{"answers":["x"],"prediction":"x"}'
try answer '{"answers":{"text":["x"]},"prediction":["x"]}'
try answer '{"answers":{"text":["x"]},"prediction":"x","null_score":"low"}'
try rank '{"label":1,"prediction":1}'
try fill '{"masked_lm_ids":[7,8],"prediction":["a"],"candidates":[[]]}'
try fill '{"masked_lm_ids":[7],"prediction":["a"]}'
try fill '{"masked_lm_ids":7,"prediction":["a"]}'
try fill '{"masked_lm_ids":[7],"prediction":["a"],"candidates":[[{"token":"a"}]]}'
echo '{"masked_lm_ids":[7],"prediction":["a"],"candidates":[[{"token":"a","id":7}]]}' | bert-score --task fill --top-k 2
echo "exit $?"
echo '{"masked_lm_ids":[7],"masked_lm_positions":[9],"input_ids":[1],"prediction":[]}' | bert-score --task fill --mask-id 4
echo "exit $?"
echo '{"label":"a","prediction":"b"}' | bert-score --task classify --positive c
echo "exit $?"
echo '-- metrics that these records do not give'
printf '{"label":"a","prediction":"a"}\n{"label":"b","prediction":"c"}\n' | bert-score --task classify --metric f1
printf '{"answers":{"text":["x"]},"prediction":"x"}\n' | bert-score --task answer --metric best_f1
printf '{"answers":{"text":["x"]},"prediction":"x"}\n' | bert-score --task answer --no-answer-threshold 0
printf '{"label":"a","prediction":"a"}\n' | bert-score --task classify --id-field x
echo '-- a benchmark scores its own positive label, also if it does not occur'
printf '{"label":0,"prediction":0}\n' | bert-score --metric glue/mrpc
echo '-- choices that do not exist, cells that are empty'
try choose '{"label":5,"choices":["a","b"],"prediction":0}'
try choose '{"label":0,"choices":["a"],"prediction":1}'
try choose '{"label":0,"choices":["a"],"prediction":"b"}'
try choose '{"label":2,"scores":[0.5,0.5],"prediction":1}'
printf 'label,prediction\na,a\nb,\n' | bert-score --task classify
printf 'label\tprediction\na\ta\n\tb\n' >cells.tsv
bert-score --task classify cells.tsv
