# Fine-tunes a model on TRAIN, predicts for DEV and scores the predictions. This is the common part of
# sentiment.mk, pairs.mk, tagger.mk and answers.mk, whose first lines say how to use them.
#
# When run again after an interruption, training resumes from the last checkpoint and gives the same model.
# When data, model or options change, make rebuilds only what depends on them; OUT/$(NAME) is replaced when
# the new model is complete.
#
# Needs GNU make 4, bash and the tools in PATH. File names must not contain spaces.

$(if $(TRAIN),,$(error TRAIN=FILE says what to learn from))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))

# The model to start from; if empty, bert-train uses the default model.
MODEL ?= $(BERT_MODEL)

# LR is empty: bert-train's default follows from the size of the model.
EPOCHS ?= 3
LR ?=

# More options of the tools, such as --batch-size 16 --save-every 200 --best f1, and --precision 4.
TRAIN_OPTIONS ?=
PREDICT_OPTIONS ?=
SCORE_OPTIONS ?=
THREADS ?=

# A Makefile that includes this one sets NAME, TASK and INPUT, the input options of bert-train and
# bert-predict. It may set PREDICTIONS, the file of the predictions.
TRUTH = $(if $(LABEL),--label-field $(call as_word,$(LABEL)))
PREDICTIONS ?= $(OUT)/$(NAME).predictions.jsonl
LEARN = bert-train --task $(TASK) $(MODEL:%=--model %) $(INPUT) $(TRUTH) $(EPOCHS:%=--epochs %) $(LR:%=--lr %) \
  $(TRAIN_OPTIONS) --dev $(DEV) $(TRAIN)
PREDICT = bert-predict --model $(OUT)/$(NAME) --task $(TASK) $(INPUT) $(PREDICT_OPTIONS)
SCORE = bert-score --task $(TASK) $(TRUTH) $(SCORE_OPTIONS)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
.SECONDARY:
.PHONY: model predictions score

score: $(OUT)/$(NAME).score.json # the default
	@cat $<
predictions: $(PREDICTIONS)
model: $(OUT)/$(NAME).done

$(if $(filter $(abspath $(OUT)/$(NAME)),$(abspath $(MODEL))),$(error MODEL=$(MODEL) would be replaced: set another OUT))
$(call require_files,TRAIN DEV MODEL)
$(OUT)/%.begun: $(TRAIN) $(DEV) $(wildcard $(MODEL:%=%/*.*)) $(OUT)/%.LEARN.command
	rm -rf $(OUT)/$*/checkpoints
	touch $@

# No file named .trained is ever made: make skips this intermediate target while .done is newer than its
# prerequisites. `exec` lets signals reach bert-train, which then saves a checkpoint.
$(OUT)/%.trained: $(OUT)/%.begun
	$(call continue_log,$(OUT)/$*)
	rm -f $(OUT)/$*.done
	exec $(LEARN) $(threads) --out $(OUT)/$* --resume --force >>$(OUT)/$*.jsonl

# After a kill, some steps run and are logged twice: keep only the last copy of each line.
$(OUT)/%.done: $(OUT)/%.trained
	@tac $(OUT)/$*.jsonl | awk -F '[:,]' '!told[$$2, $$3 ~ /dev_/]++' | tac >$(OUT)/$*.jsonl.new
	mv $(OUT)/$*.jsonl.new $(OUT)/$*.jsonl
	touch $@
	rm -rf $(OUT)/$*/checkpoints

# Rebuild a model that was deleted.
$(if $(wildcard $(OUT)/$(NAME)/config.json),,$(eval $(OUT)/$(NAME).trained: FORCE))

$(PREDICTIONS): $(OUT)/$(NAME).done $(OUT)/$(NAME).PREDICT.command
	$(PREDICT) $(threads) -o $@ $(DEV)

$(OUT)/$(NAME).score.json: $(PREDICTIONS) $(OUT)/$(NAME).SCORE.command
	$(SCORE) -o $@ $<
