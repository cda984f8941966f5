# When input_ids are truncated, the fields that describe them are too, for each task that truncates; windows
# change nothing.
predict() {
  echo "-- $*"
  model=$1
  shift
  bert-predict -q -m "$MODELS/$model" --max-length 7 --drop text,scores,candidates,prediction "$@"
}
echo 'the old [MASK] and the queen said it' | bert-tokenize -m "$MODELS/classify" --tokens --word-ids >whole
predict classify whole
predict regress whole
predict classify --overflow split --overlap 2 whole
echo '{"input_ids":[2,92,216,222,94,92,95,3],"masked_lm_positions":[2,6],"masked_lm_ids":[5,6],"labels":[0,1,2,3,4,5,6,7]}' >masked
predict masked-lm --overflow truncate masked
predict masked-lm --task perplexity masked
echo '{"input_ids":[2,92,216,222,94,92,95,3],"labels":["several","of","the","text"]}' | predict multilabel
echo '-- each choice has fields of its own'
echo '{"input_ids":[[2,92,3,94,3],[2,92,216,3,94,92,95,3]],"token_type_ids":[[0,0,0,1,1],[0,0,0,0,1,1,1,1]],"tokens":[["a","b","c","d","e"],["a","b","c","d","e","f","g","h"]]}' >choices
predict choose choices
echo '{"input_ids":[[2,92,216,3,94,92,95,3]],"tokens":[["a"],["b"]]}' | predict choose
echo '-- truncating a question does not affect fields of input_ids'
echo '{"question":"who was the old king and queen","context":"the king was old","input_ids":[2,92,3],"tokens":["a"]}' |
  predict answer --max-length 20 --max-question-length 2 --stride 4 --drop start,end,score,null_score
