# An option or a FILE that is given an empty name, as by an unset variable, is an error; an empty prompt is none, and
# an empty BERT_MODEL is not set.
echo 'the king' >t.txt
try() { echo "$*" >&2; "$@" t.txt; echo "exit $?"; }
for option in --model --text-field --pair-field --encoding; do try bert-embed "$option" ''; done
try bert-embed --model=
try bert-tokenize --vocab ''
for option in --gold --positive --label-field --id-field --plot; do try bert-score --task classify "$option" ''; done
for option in --index --records --graph; do try bert-search "$option" ''; done
for option in --config --vocab --dev --best --output; do try bert-train --task classify "$option" ''; done
try bert-vocab --counts ''
try bert-convert ''
bert-convert '' --info
echo "exit $?"
bert-tokenize -m "$MODELS/bare" t.txt ''
echo "exit $?"
BERT_MODEL='' bert-tokenize --format tokens t.txt
bert-embed -m "$MODELS/bare" --prompt '' --keep text t.txt
