# Fine-tunes a tagger of words, for example of names, on files with one word and its tag per line:
#
#   make -f tagger.mk MODEL=DIR TRAIN=train.conll DEV=dev.conll OUT=FOLDER
#
# OUT/tagger is the model, OUT/tagger.jsonl the training log. The model is evaluated on DEV:
# OUT/tagger.predictions.jsonl has the entities found, OUT/tagger.tagged.conll is DEV with a column of
# predicted tags, and OUT/tagger.score.json has the scores. To tag other texts:
#
#   bert-predict -m OUT/tagger FILE
#
# The variables below and those of fine-tuning.mk, such as EPOCHS and LR, can be set on the command line. The
# notes on interruptions and changes in fine-tuning.mk apply here.

# conll: the word is in the first column and its tag in the last; blank lines separate sentences. conllu: the parts of
# speech of CoNLL-U, or READ_OPTIONS='--tag-column misc:ner'. jsonl: arrays `words` and `tags`. Without FORMAT, the
# suffix of TRAIN says it; conll if it is another one. Only for conll, tagged.conll is written. Tags are BIO, IOB1 or any
# others. READ_OPTIONS='--context document' reads each sentence within its document.
FORMAT ?= $(or $(patsubst .%,%,$(filter .conllu .jsonl,$(suffix $(lastword $(TRAIN:.gz=))))),conll)
READ_OPTIONS ?=
ifneq (,$(findstring --input-format,$(READ_OPTIONS)))
$(error READ_OPTIONS=$(READ_OPTIONS): the format is FORMAT, for example FORMAT=conllu)
endif
ifeq ($(FORMAT),conll)
$(if $(filter skip %=skip,$(READ_OPTIONS)),$(error READ_OPTIONS=$(READ_OPTIONS): a sentence left out would shift the tags after it))
endif

NAME = tagger
TASK = tag
INPUT = --input-format $(FORMAT) $(READ_OPTIONS)

tagger: score $(if $(filter conll,$(FORMAT)),$(OUT)/tagger.tagged.conll)

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk

.PHONY: tagger
$(OUT)/tagger.tagged.conll: $(PREDICTIONS) $(DEV)
	sed 's/.*"prediction":\["//; s/"\].*//; s/","/\n/g; s/\\\(.\)/\1/g' $< |
	  awk '
	    NR == FNR { tag[NR] = $$0; next }
	    { sub(/\r$$/, "") }
	    !NF || $$1 == "-DOCSTART-" { inside = 0; print; next }
	    !inside && /^# .*=/ { print; next }
	    { inside = 1; print $$0 ($$0 ~ /\t/ ? "\t" : " ") tag[++word] }' - $(DEV) $(into)
