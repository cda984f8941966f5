# A tagger of words, such as names, from files with a word and its tag a line:
#
#   make -f tagger.mk MODEL=DIR TRAIN=train.conll DEV=dev.conll OUT=FOLDER
#
# The model is OUT/tagger, its journal OUT/tagger.jsonl. It is measured on DEV: OUT/tagger.predictions.jsonl, with the
# entities that were found, OUT/tagger.tagged.conll, which is DEV with one more column, and OUT/tagger.score.json. Other
# texts are tagged by
#
#   bert-predict -m OUT/tagger FILE
#
# The variables below, and EPOCHS, LR and others in fine-tuning.mk beside this file, may be set on the command line. What
# is said there of interruptions and changes holds here.

# conll has the word in the first column and its tag in the last, and blank lines between sentences; jsonl has arrays
# `words` and `tags`. Tags are BIO or IOB1, or any others. Of jsonl there is no tagged.conll.
FORMAT ?= conll
READ_OPTIONS ?=

NAME = tagger
TASK = tag
INPUT = --input-format $(FORMAT) $(READ_OPTIONS)

tagger: score $(if $(filter conll,$(FORMAT)),$(OUT)/tagger.tagged.conll)

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk

.PHONY: tagger
$(OUT)/tagger.tagged.conll: $(PREDICTIONS) $(DEV)
	sed 's/.*"prediction":\["//; s/"\].*//; s/","/\n/g' $< |
	  awk '
	    NR == FNR { tag[NR] = $$0; next }
	    { sub(/\r$$/, "") }
	    !NF || $$1 == "-DOCSTART-" { inside = 0; print; next }
	    !inside && /^# .*=/ { print; next }
	    { inside = 1; print $$0 ($$0 ~ /\t/ ? "\t" : " ") tag[++word] }' - $(DEV) >$@
