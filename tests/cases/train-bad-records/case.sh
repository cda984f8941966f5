#!/bin/sh
# A bad record is reported with FILE and line; it stops the run, or is skipped and counted.
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
echo '--- skipped records are reported once in all epochs, and counted' >&2
{ echo "$good"; echo '{"text":"king"}'; echo "$good"; echo '{"input_ids":[]}'; } >r.jsonl
train --on-error skip --epochs 3 r.jsonl
sed 's/,.*/}/' log
echo '--- all records are bad' >&2
echo '{"text":"king"}' >bad.jsonl
rm -rf out
train --on-error skip bad.jsonl
echo '--- no records' >&2
: >empty.jsonl
train empty.jsonl
train --steps 3 <empty.jsonl
train missing.jsonl
echo '--- bad records in --dev are found before training starts' >&2
train --dev r.jsonl r.jsonl
train --dev empty.jsonl r.jsonl
echo "$good" | sed 's/}/,"next_sentence_label":0}/' >labelled.jsonl
train --dev labelled.jsonl --on-error skip r.jsonl
train --dev r.jsonl --on-error skip labelled.jsonl
train --dev labelled.jsonl --best nsp_loss --on-error skip labelled.jsonl
sed 's/:[-+.e0-9]*/:N/g' log
ls -d out/checkpoints/*
echo '--- a run that fails before its first checkpoint leaves nothing behind' >&2
printf '{"input_ids":[2,9,3],"masked_lm_positions":[5],"masked_lm_ids":[3]}\n' >wrong.jsonl
train --out folder/fresh wrong.jsonl
[ -e folder/fresh ] && echo 'folder/fresh is there' >&2
true
