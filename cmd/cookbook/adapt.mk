# A model adapted to a folder of texts, each of which is a document, by going on with its pre-training on them:
#
#   make -f adapt.mk MODEL=DIR TEXTS=FOLDER OUT=FOLDER
#
# OUT/model is the model, for whatever MODEL is for, OUT/model.jsonl its journal. Some texts are held out. What the two
# models make of them is compared in OUT/compared.jsonl: the loss of hidden tokens, which are the same for both, and how
# many of these they find.
#
# Data and training are those of pretraining.mk and model.mk beside this file: what is said there of interruptions and
# changes holds here, and their variables may be set as well as those below.

adapt: # the default

MODEL ?= $(BERT_MODEL)

# Three times over the texts. The highest learning rate is a tenth of what a model begins with, so that it keeps more of
# what it knows; small models stand more.
PRESET =
STEPS =
EPOCHS ?= 3
LR ?= 5e-5
TRAIN_OPTIONS ?=

# Tokens of an instance, which may not be more than the model takes. Instances are full sentences, one after another;
# --mode nsp makes pairs of a model whose second head is of use, from many texts.
LENGTH ?= 128
PAIRS_OPTIONS ?= --mode none
HELD_OUT ?= 5%

VOCAB := $(firstword $(wildcard $(MODEL:%=%/tokenizer.json) $(MODEL:%=%/vocab.txt)))
tokenizer = $(MODEL:%=--model %)

include $(dir $(lastword $(MAKEFILE_LIST)))model.mk

model = $(learn) $(tokenizer) $(EPOCHS:%=--epochs %) $(LR:%=--lr %) --max-length $(LENGTH) $(TRAIN_OPTIONS)

$(if $(filter $(abspath $(OUT)/model),$(abspath $(MODEL))),$(error MODEL=$(MODEL) would be replaced: set another OUT))
$(OUT)/model.checked: $(wildcard $(MODEL:%=%/*.*))

.PHONY: adapt
adapt: $(if $(dev),$(OUT)/compared.jsonl,model)
	@$(if $(dev),cat $<)

# A model is measured by a step that learns nothing.
measure = bert-train --task pretrain $(1) $(MASK_OPTIONS) $(threads) --steps 1 --lr 0 --batch-size 1 --dev $(dev) \
  --out $(OUT)/measured $(dev) | \
  sed -n '/"dev_/ { s/"dev_/"/g; s/"step":1/"model":"$(2)"/p; }'; rm -r $(OUT)/measured

$(OUT)/compared.jsonl: $(OUT)/model.done $(dev)
	rm -rf $(OUT)/measured
	{ $(call measure,$(tokenizer),before); $(call measure,--model $(OUT)/model,after); } >$@
