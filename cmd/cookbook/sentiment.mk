# A classifier of sentiments, or of any other labels, from tables of texts with their labels:
#
#   make -f sentiment.mk MODEL=DIR TRAIN=train.tsv DEV=dev.tsv OUT=FOLDER TEXT=sentence
#
# The model is OUT/classifier, its journal OUT/classifier.jsonl. It is measured on DEV: OUT/classifier.predictions.jsonl
# and OUT/classifier.score.json. Other texts, a line each, are judged by
#
#   bert-predict -m OUT/classifier FILE
#
# The variables below, and EPOCHS, LR and others in fine-tuning.mk beside this file, may be set on the command line. What
# is said there of interruptions and changes holds here.

# The columns of the text and of its label, by the header lines of TRAIN and DEV.
TEXT ?= text
LABEL ?= label

# Options of what reads the tables: a second text is --pair-field NAME, a table without header line has
# --columns NAME,...; JSONL is read as well as TSV.
READ_OPTIONS ?=

NAME = classifier
TASK = classify
INPUT = --text-field $(TEXT) $(READ_OPTIONS)

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk
