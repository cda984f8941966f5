#!/bin/sh
# Training on a table with its own column names.
. "$CASE/../lib/sentences.sh"
{ echo 'id	sentence	class'; records 30 class | sed 's/.*"text":"\(.*\)","label":"\(.*\)"}/7	\1	\2/'; } >train.tsv
train --task classify --text-field sentence --label-field class --epochs 1 --dev train.tsv --out tsv train.tsv | wc -l
