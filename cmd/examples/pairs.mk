# Fine-tunes a regression model that scores pairs of texts, for example their similarity, on tables of pairs
# with scores:
#
#   make -f pairs.mk MODEL=DIR TRAIN=train.tsv DEV=dev.tsv OUT=FOLDER
#
# OUT/regressor is the model, OUT/regressor.jsonl the training log. The model is evaluated on DEV:
# OUT/regressor.predictions.jsonl, and OUT/regressor.score.json with Pearson's and Spearman's correlations. To
# score other pairs, separated by a TAB:
#
#   bert-predict -m OUT/regressor --input-format tsv --columns text,text_pair FILE
#
# The variables below and those of fine-tuning.mk, such as EPOCHS and LR, can be set on the command line. The
# notes on interruptions and changes in fine-tuning.mk apply here.

# The names of the columns with the two texts and the score, as in the header lines (default: those of STS-B).
TEXT ?= sentence1
PAIR ?= sentence2
LABEL ?= score

# Input options, such as --columns NAME,... for tables without a header line. TRAIN and DEV can also be JSONL.
READ_OPTIONS ?=

NAME = regressor
TASK = regress
INPUT = --text-field $(call as_word,$(TEXT)) --pair-field $(call as_word,$(PAIR)) $(READ_OPTIONS)

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk
$(call require_columns,TEXT PAIR LABEL)
