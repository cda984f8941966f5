# Fine-tunes a classifier of sentiment, or of any other labels, on tables of texts with labels:
#
#   make -f sentiment.mk MODEL=DIR TRAIN=train.tsv DEV=dev.tsv OUT=FOLDER TEXT=sentence
#
# OUT/classifier is the model, OUT/classifier.jsonl the training log. The model is evaluated on DEV:
# OUT/classifier.predictions.jsonl and OUT/classifier.score.json. To classify other texts, one per line:
#
#   bert-predict -m OUT/classifier FILE
#
# The variables below and those of fine-tuning.mk, such as EPOCHS and LR, can be set on the command line. The
# notes on interruptions and changes in fine-tuning.mk apply here.

# The names of the columns with the text and the label, as in the header lines of TRAIN and DEV.
TEXT ?= text
LABEL ?= label

# Input options, such as --pair-field NAME for a second text, or --columns NAME,... for tables without a
# header line. TRAIN and DEV can also be JSONL.
READ_OPTIONS ?=

NAME = classifier
TASK = classify
INPUT = --text-field $(call as_word,$(TEXT)) $(READ_OPTIONS)

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk
$(call require_columns,TEXT LABEL)
