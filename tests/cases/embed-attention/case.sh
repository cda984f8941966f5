# --attention writes the weights of each head of the wanted layers, in their order: rows sum to 1, and in a causal
# model they are 0 after the token itself. Other outputs are refused.
ln -s "$MODELS" models
attend() { bert-embed -m models/pretraining --attention --precision 2 "$@"; }
printf '{"id":7,"text":"good soup","tokens":0}\n{"text":"a","text_pair":"cat"}\n{"words":["the","king"]}\n' >texts
attend texts
attend --layers 1 --prompt 'a ' --keep attention,tokens texts | tail -n 1
bert-embed -m models/causal --attention --precision 2 --layers -1,1,-1 --drop text texts | head -n 1
echo '-- layers and heads are as in the model'
bert-embed -m models/pretraining --attention --layers -1,1 texts | jq -c '[.attention | length, (.[0] | length)]'
bert-embed -m models/pretraining --attention --layers -1,1 texts | jq -c '.attention[0]' >first
bert-embed -m models/pretraining --attention texts | jq -c '.attention[0]' | cmp - first
jq -c '[.[][] | add | . * 1e5 | round] | unique' first
echo '-- truncated'
echo '{"input_ids":[2,101,102,103,3],"word_ids":[null,0,1,2,null]}' | attend --max-length 3
echo the old king | attend --max-length 3 --drop attention
echo the old king | attend --max-length 3 --overflow error
echo '-- refused'
attend --layers 0 texts
attend --layers 1,-9 texts
try() { bert-embed -m models/bare --attention "$@" texts 2>&1 | head -n 1; }
try --pooling none
try --combine mean
try --layer-weights 1
try --normalize
try --dim 3
try --base64
try --format f32
try --format tsv --keep text
try --overflow split
try --overflow windows
