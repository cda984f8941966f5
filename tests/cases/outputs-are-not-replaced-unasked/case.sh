# Models and vocabularies are replaced only with --force; then nothing of the old model is left that would change the
# new one, and files of others are kept.
golden=$MODELS/../training
sed 's/,"masked_lm_positions.*/}/' "$golden/records.jsonl" >open.jsonl
try() { echo "-- $*" | sed "s:$MODELS/::" >&2; "$@" >log; echo "exit $?" >&2; }
train() { bert-train -q --task pretrain -m "$golden/narrow" --batch-size 6 "$@" open.jsonl; }
echo 'one two two' >words
learn() { bert-vocab -q --size 40 --min-frequency 1 "$@" words; }
sums() { cat "$1"/*.* "$1"/*/* | cksum; }

echo '--- a model without checkpoints'
bert-convert "$MODELS/sentence-new" -o model
chmod -R u+w model
echo mine >model/README.md
echo old | tee model/pytorch_model.bin model/tokenizer.json >model/added_tokens.json
before=$(sums model)
try train --steps 2 -o model
try train --steps 2 -o model --resume
try bert-convert "$MODELS/bare" -o model
try learn -o model
try learn -o model/
[ "$(sums model)" = "$before" ] && echo 'is as it was'
try train --steps 2 -o model --force
ls model
bert-predict -m model --task fill open.jsonl | wc -l

echo '--- a run'
ls model/checkpoints
try train --steps 2 -o model
try train --steps 1 -o model --force
ls model/checkpoints
try train --steps 3 -o model --force --resume
ls model/checkpoints
rm -r model/checkpoints
try train --steps 3 -o model --force --resume
ls model/checkpoints

echo '--- a model to convert to'
try bert-convert "$MODELS/bare" -o model --force
ls model
cat model/README.md
try bert-convert "$MODELS/bare" --info --force

echo '--- vocabularies'
mkdir new
echo mine >new/notes
learn -o new
echo '{}' >new/tokenizer.json
try learn -o new
try learn -o new --force
ls new
learn -o words.txt
try learn -o words.txt
try learn -o words.txt --force
: >empty
try learn -o empty

echo '--- other things are never replaced'
mkdir other
echo mine >other/notes
try train --steps 2 -o other --force
try bert-convert "$MODELS/bare" -o other --force
try bert-convert model -o model --force
try train -m model --steps 2 -o model --force
ls other
