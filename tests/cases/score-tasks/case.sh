#!/bin/sh
# One object for each task, with gold labels in the records.
score() { bert-score --precision 4 "$@"; }
echo "next, choose"
printf '{"next_sentence_label":%s,"prediction":"%s"}\n' 0 is_next 1 is_next '"not_next"' not_next | score --task next
printf '{"label":%s,"prediction":%s}\n' 0 0 3 2 '"1"' 1 | score --task choose
echo "classify: labels by their text, f1 of the higher id"
printf '{"label":%s,"prediction":"%s"}\n' 1 1 '"1"' 0 0 1 1 1 10 9 9 10 | score --task classify
printf '{"label":%s,"prediction":"%s"}\n' 1 1 '"1"' 0 0 1 1 1 | score --task classify
printf '{"label":%s,"prediction":"%s"}\n' 1 1 '"1"' 0 0 1 1 1 9 10 | score --task classify --positive 9
printf '{"label":"%s","prediction":"%s"}\n' yes yes no yes no no | score --task classify
printf '{"label":"%s","prediction":"%s","scores":{"yes":0.5,"no":0.5}}\n' yes yes no yes no no | score --task classify
printf '{"label":"%s","prediction":"%s"}\n' equivalent equivalent not_equivalent equivalent | score --metric glue/mrpc
printf '{"label":"%s","prediction":"%s"}\n' a a b a | score --metric glue/cola
echo "multilabel"
printf '{"label":%s,"prediction":%s}\n' '["x","y"]' '["x"]' '[]' '[]' '["z"]' '["y","z","z"]' | score --task multilabel
echo "regress"
printf '{"label":%s,"prediction":%s}\n' 1 0.5 2 0.7 3 0.6 4 '"0.9"' | score --task regress
printf '{"label":%s,"prediction":1}\n' 1 2 | score --metric glue/stsb
echo "tag"
printf '{"tags":%s,"prediction":%s}\n' '["B-PER","I-PER","O"]' '["I-PER","I-PER","O"]' '["I-LOC","B-LOC"]' '["I-LOC","I-LOC"]' |
  score --task tag
printf '{"tags":["O"],"prediction":["O"]}' | score --task tag --metric f1,accuracy
echo "rank"
printf '{"text":"%s","label":%d,"prediction":%s}\n' who 0 0.9 when 1 -3 who 1 0.5 who 2 0.1 why 1 0 why 0 0 | score --task rank
echo "fill"
best() { printf '{"masked_lm_positions":[%s],"masked_lm_ids":[%s],"input_ids":[2,%s,3],"prediction":[%s],"candidates":[%s]}\n' "$@"; }
candidate() { printf '[{"token":"a","id":%d,"score":0.6},{"token":"b","id":%d,"score":0.2},{"token":"c","id":%d,"score":0.1}]' "$@"; }
best 1,3 7,8 4,9,4 '"a","a"' "$(candidate 7 8 9),$(candidate 5 6 8)" | score --task fill
best 1,3 7,8 4,9,4 '"a","a"' "$(candidate 7 8 9),$(candidate 5 6 8)" | score --task fill --top-k 2
best 1,3 7,8 4,9,9 '"a"' "$(candidate 1 7 9)" | score --task fill --mask-id 4 --metric top_k_accuracy
printf '{"label":%s,"prediction":%s}\n' '["a","b"]' '["a","a"]' '[]' '[]' | score --task fill --label-field label
echo '{"masked_lm_ids":[],"prediction":[],"candidates":[]}' | score --task fill --top-k 2
