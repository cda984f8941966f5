# Adapts a model to your texts by continuing its pre-training on them. Each text is one document:
#
#   make -f adapt.mk MODEL=DIR TEXTS=FOLDER OUT=FOLDER
#
# OUT/model is the adapted model, to be used like MODEL; OUT/model.jsonl is the training log. Some texts are
# held out. OUT/compared.jsonl compares the two models on them: loss and accuracy on the same masked tokens.
#
# Data and training are those of pretraining.mk and model.mk in this folder. The notes on interruptions and
# changes there apply here, and the variables of both files can be set as well as those below.

adapt: # the default

MODEL ?= $(BERT_MODEL)

# The peak learning rate is a tenth of that for a new model, so that the model keeps more of what it knows.
# Small models tolerate a higher one.
PRESET =
STEPS =
EPOCHS ?= 3
LR ?= 5e-5
TRAIN_OPTIONS ?=

# Tokens per instance, at most the model's maximum length. Instances are filled with consecutive full
# sentences. --mode nsp makes sentence pairs instead: for many texts, if the next-sentence head will be used.
LENGTH ?= 128
PAIRS_OPTIONS ?= --mode none
HELD_OUT ?= 5%

VOCAB := $(firstword $(wildcard $(MODEL:%=%/tokenizer.json) $(MODEL:%=%/vocab.txt)))
tokenizer = $(MODEL:%=--model %)

include $(dir $(lastword $(MAKEFILE_LIST)))model.mk

model = $(learn) $(tokenizer) $(EPOCHS:%=--epochs %) $(LR:%=--lr %) --max-length $(LENGTH) $(TRAIN_OPTIONS)

$(if $(filter $(abspath $(OUT)/model),$(abspath $(MODEL))),$(error MODEL=$(MODEL) would be replaced: set another OUT))
$(call require_files,MODEL)
$(OUT)/model.checked: $(wildcard $(MODEL:%=%/*.*))

.PHONY: adapt
adapt: $(if $(dev),$(OUT)/compared.jsonl,model)
	@$(if $(dev),cat $<)

# Evaluates a model.
measure = bert-train --task pretrain $(1) $(MASK_OPTIONS) $(threads) --steps 0 --dev $(dev) | \
  sed 's/"dev_/"/g; s/"step":0/"model":"$(2)"/'

$(OUT)/compared.jsonl: $(OUT)/model.done $(dev)
	{ $(call measure,$(tokenizer),before); $(call measure,--model $(OUT)/model,after); } $(into)
