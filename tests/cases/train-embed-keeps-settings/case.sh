# A model trained from one of sentence-transformers keeps its prompts, truncate_dim, similarity and pooling of prompts.
cp -R "$MODELS/sentence-prompt" model && chmod -R u+w model
cat >model/config_sentence_transformers.json <<'END'
{"prompts":{"query":"look for: ","document":""},"default_prompt_name":"query","truncate_dim":6,"similarity_fn_name":"dot"}
END
printf '{"text":"the king","text_pair":"the queen"}\n{"text":"old film","text_pair":"old book"}\n' >pairs.jsonl
train() { bert-train -q --task embed --steps 2 "$@" pairs.jsonl >/dev/null; }
train -m model -o new
cat new/config_sentence_transformers.json
grep include_prompt new/1_Pooling/config.json
bert-convert --info new | grep -o '"truncate_dim.*_name":[^,]*'
echo 'old king' | bert-embed -v -m new --keep embedding 2>&1 | sed 's/.*, \(pooling.*\), at most.*/\1/; s/-*[0-9]\.[0-9]*/N/g'
echo '-- training reads the texts without the prompt'
sed -i 's/"query","truncate/null,"truncate/' model/config_sentence_transformers.json
train -m model -o without && cmp new/model.safetensors without/model.safetensors && echo same weights
echo '-- euclidean distance, and a model without settings'
printf '{"text":"the king","text_pair":"the queen","negatives":["a book"]}\n' >pairs.jsonl
train -m model --loss triplet -o far && cat far/config_sentence_transformers.json
train -m "$MODELS/bare" -o plain && cat plain/config_sentence_transformers.json
echo '-- bert-convert keeps all, and the model card'
echo '# A card' >model/README.md
bert-convert model --out converted
cmp model/config_sentence_transformers.json converted/config_sentence_transformers.json && cat converted/README.md
cp -R "$MODELS/bare" bare && chmod -R u+w bare && echo '# Bare' >bare/README.md
bert-convert bare --force --out converted && cat converted/README.md
