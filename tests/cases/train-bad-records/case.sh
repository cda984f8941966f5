#!/bin/sh
# A bad record is reported with FILE and line, and stops the run.
train() { bert-train --task pretrain -m "$MODELS/../training/narrow" --no-shuffle --batch-size 2 --out out "$@" >log; echo "exit $?"; }
good='{"input_ids":[2,5,6,3],"masked_lm_positions":[1],"masked_lm_ids":[7]}'
while read -r bad; do
  echo "--- $bad" >&2
  { echo "$good"; echo "$bad"; echo "$good"; } >r.jsonl
  train r.jsonl
  rm -rf out
done <<'END'
{"text":"king"}
{"input_ids":[]}
{"input_ids":[2,150,3]}
{"input_ids":"2 5 3"}
{"input_ids":[2,5,6,3],"token_type_ids":[0,0,0]}
{"input_ids":[2,5,6,3],"token_type_ids":[0,0,2,0]}
{"input_ids":[2,5,6,3],"masked_lm_positions":[1]}
{"input_ids":[2,5,6,3],"masked_lm_positions":[4],"masked_lm_ids":[7]}
{"input_ids":[2,5,6,3],"masked_lm_positions":[2,1],"masked_lm_ids":[7,8]}
{"input_ids":[2,5,6,3],"masked_lm_positions":[1],"masked_lm_ids":[150]}
{"input_ids":[2,5,6,3],"labels":[-100,7,-100]}
{"input_ids":[2,5,6,3],"labels":[-100,7,-1,-100]}
{"input_ids":[2,5,6,3],"labels":[-100,7,-100,-100],"masked_lm_positions":[1],"masked_lm_ids":[7]}
{"input_ids":[2,5,6,3],"next_sentence_label":2}
{"input_ids":[2,5,6,3],"next_sentence_label":"yes"}
{"input_ids":[2,5,6,3],"next_sentence_label":1}
{"input_ids":[2,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,3]}
{"input_ids":[2,5,6,3]
END
echo '--- longer than --max-length' >&2
echo "$good" >r.jsonl
train --max-length 3 r.jsonl
train --max-length 49 r.jsonl
