# What sentiment.mk, pairs.mk, tagger.mk and answers.mk beside this file have in common: a model that learns from TRAIN,
# its predictions for DEV, and their score. Their first lines say how they are used.
#
# Killed at any moment and run again, training goes on from its last snapshot and ends with the same model. What is
# finished is not done again; when data, model or options change, what depends on them is made anew, and OUT/$(NAME) is
# replaced when the new one is complete.
#
# Needs GNU make 4, bash and the tools in PATH. Names of files are without spaces.

$(if $(TRAIN),,$(error TRAIN=FILE says what to learn from))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))

# Where training begins; without it bert-train says what it takes.
MODEL ?= $(BERT_MODEL)

# Without LR it is what bert-train takes, which suits BERT-base; small models learn more with 1e-4 or 3e-4.
EPOCHS ?= 3
LR ?=

# More options of the tools, such as --batch-size 16 --save-every 200 --best f1, and --precision 4.
TRAIN_OPTIONS ?=
PREDICT_OPTIONS ?=
SCORE_OPTIONS ?=
THREADS ?=

# Those who include this file set NAME, TASK and INPUT, the options of all that read records. PREDICTIONS may be another
# form.
TRUTH = $(LABEL:%=--label-field %)
PREDICTIONS ?= $(OUT)/$(NAME).predictions.jsonl
LEARN = bert-train --task $(TASK) $(MODEL:%=--model %) $(INPUT) $(TRUTH) $(EPOCHS:%=--epochs %) $(LR:%=--lr %) \
  $(TRAIN_OPTIONS) --dev $(DEV)
PREDICT = bert-predict --model $(OUT)/$(NAME) --task $(TASK) $(INPUT) $(PREDICT_OPTIONS)
SCORE = bert-score --task $(TASK) $(TRUTH) $(SCORE_OPTIONS)

SHELL = bash
.SHELLFLAGS = -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: model predictions score FORCE
MAKEFLAGS += --no-builtin-rules

threads = $(THREADS:%=-j %)

score: $(OUT)/$(NAME).score.json # the default
	@cat $<
predictions: $(PREDICTIONS)
model: $(OUT)/$(NAME).done

# A command that is not as it was makes stale what it gave.
$(OUT)/$(NAME).%.command: FORCE
	@mkdir -p $(OUT)
	echo '$($*)' | cmp -s - $@ || echo '$($*)' >$@

$(if $(filter $(abspath $(OUT)/$(NAME)),$(abspath $(MODEL))),$(error MODEL=$(MODEL) would be replaced: set another OUT))
$(OUT)/%.begun: $(TRAIN) $(DEV) $(wildcard $(MODEL:%=%/*.*)) $(OUT)/%.LEARN.command
	rm -rf $(OUT)/$*/snapshots
	touch $@

# Nothing is ever called .trained: it is passed over while .done is newer than what it depends on. bert-train takes the
# place of the shell, so that signals reach it and it saves its work.
$(OUT)/%.trained: $(OUT)/%.begun
	compgen -G '$(OUT)/$*/snapshots/step-*' >/dev/null || rm -f $(OUT)/$*.jsonl
	rm -f $(OUT)/$*.done
	exec $(LEARN) $(threads) --out $(OUT)/$* --resume $(TRAIN) >>$(OUT)/$*.jsonl

# A run that was killed has told steps that were done again: only their last lines stay.
$(OUT)/%.done: $(OUT)/%.trained
	@tac $(OUT)/$*.jsonl | awk -F '[:,]' '!told[$$2, $$3 ~ /dev_/]++' | tac >$(OUT)/$*.jsonl.new
	mv $(OUT)/$*.jsonl.new $(OUT)/$*.jsonl
	rm -rf $(OUT)/$*/snapshots
	touch $@

# A model that was removed is made again.
$(if $(wildcard $(OUT)/$(NAME)/config.json),,$(eval $(OUT)/$(NAME).trained: FORCE))

$(PREDICTIONS): $(OUT)/$(NAME).done $(OUT)/$(NAME).PREDICT.command
	$(PREDICT) $(threads) -o $@ $(DEV)

$(OUT)/$(NAME).score.json: $(PREDICTIONS) $(OUT)/$(NAME).SCORE.command
	$(SCORE) -o $@ $<
