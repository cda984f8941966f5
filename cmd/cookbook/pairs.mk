# A judge of how alike two sentences are, or of any other number, from tables of pairs with their numbers:
#
#   make -f pairs.mk MODEL=DIR TRAIN=train.tsv DEV=dev.tsv OUT=FOLDER
#
# The model is OUT/regressor, its journal OUT/regressor.jsonl. It is measured on DEV: OUT/regressor.predictions.jsonl and
# OUT/regressor.score.json, with Pearson's and Spearman's correlations. Other pairs, with a TAB between the two, are judged
# by
#
#   bert-predict -m OUT/regressor --input-format tsv --columns text,text_pair FILE
#
# The variables below, and EPOCHS, LR and others in fine-tuning.mk beside this file, may be set on the command line. What
# is said there of interruptions and changes holds here.

# The columns of the two texts and of their number, by the header lines of TRAIN and DEV: those of STS-B.
TEXT ?= sentence1
PAIR ?= sentence2
LABEL ?= score

# Options of what reads the tables, such as --columns NAME,... where there is no header line. JSONL is read as well as TSV.
READ_OPTIONS ?=

NAME = regressor
TASK = regress
INPUT = --text-field $(TEXT) --pair-field $(PAIR) $(READ_OPTIONS)

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk
