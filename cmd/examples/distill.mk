# Distills a model of sentence vectors into a smaller one, on plain texts:
#
#   make -f distill.mk TEACHER=DIR TRAIN=train.txt DEV=dev.txt OUT=FOLDER
#
# A new model learns the relations between queries, keys and values of the teacher's last layer (MiniLMv2), and then
# the teacher's vectors: OUT/encoder and OUT/embedder, with training logs OUT/*.jsonl and, if gnuplot is installed, their
# plots OUT/*.svg. On DEV, dev_loss of the embedder is 1 - cosine with the teacher's vectors. With PAIRS=FILE, pairs of
# texts with a label for their similarity, OUT/compared.jsonl compares the metrics of both models on them.
#
# When run again after an interruption, training resumes from the last checkpoint and gives the same models. When data,
# teacher or options change, make rebuilds only what depends on them.
#
# The variables below can be set on the command line. Needs GNU make 4, bash and the tools in PATH. File names must not
# contain spaces.

$(if $(TEACHER),,$(error TEACHER=DIR says which model to learn from))
$(if $(TRAIN),,$(error TRAIN=FILE says on which texts))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))

# The size of the new model, and the maximum sequence length in tokens.
PRESET ?= mini
LENGTH ?= 128

# Passes over TRAIN for either model. Most of the teacher is learned in the second.
ENCODER_EPOCHS ?= 1
EMBEDDER_EPOCHS ?= 2

# Input options, such as --text-field title, and more options of bert-train for either model, such as --lr 1e-3.
READ_OPTIONS ?=
ENCODER_OPTIONS ?=
EMBEDDER_OPTIONS ?=
PAIRS_OPTIONS ?=
THREADS ?=

vocabulary = $(firstword $(wildcard $(TEACHER)/tokenizer.json $(TEACHER)/vocab.txt))
input = $(READ_OPTIONS) --max-length $(LENGTH)
encoder = bert-train --task distill --teacher $(TEACHER) --preset $(PRESET) --vocab $(vocabulary) $(input) \
  --epochs $(ENCODER_EPOCHS) $(ENCODER_OPTIONS)
embedder = bert-train --task embed --model $(OUT)/encoder --loss cosine --teacher-vectors $(OUT)/train.npy \
  --dev-vectors $(OUT)/dev.npy $(input) --epochs $(EMBEDDER_EPOCHS) $(EMBEDDER_OPTIONS)
VECTORS = bert-embed --model $(TEACHER) $(input) --format npy
train = $(TRAIN)
dev = $(DEV)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
.SECONDEXPANSION:
.PHONY: distill
$(call require_files,TEACHER TRAIN DEV PAIRS)

distill: $(OUT)/embedder.done $(if $(PAIRS),$(OUT)/compared.jsonl) # the default
	@$(if $(PAIRS),cat $(OUT)/compared.jsonl,tail -n 1 $(OUT)/embedder.jsonl)

teacher := $(shell find $(TEACHER)/ -type f)
gnuplot := $(shell command -v gnuplot)

$(OUT)/train.npy $(OUT)/dev.npy: $(teacher) $(OUT)/VECTORS.command
$(OUT)/%.npy: $$($$*)
	$(VECTORS) $(threads) -o $@ $($*)

$(OUT)/encoder.begun: $(TRAIN) $(DEV) $(teacher) $(OUT)/encoder.command
$(OUT)/embedder.begun: $(OUT)/encoder.done $(OUT)/train.npy $(OUT)/dev.npy $(OUT)/embedder.command
$(OUT)/%.begun:
	rm -rf $(OUT)/$*/checkpoints
	touch $@

# No file named .trained is ever made: make skips this intermediate target while .done is newer than its
# prerequisites. `exec` lets signals reach bert-train, which then saves a checkpoint.
$(OUT)/%.trained: $(OUT)/%.begun
	$(call continue_log,$(OUT)/$*)
	rm -f $(OUT)/$*.done
	exec $($*) $(threads) --dev $(DEV) $(if $(gnuplot),--plot $(OUT)/$*.svg) --out $(OUT)/$* --resume --force $(TRAIN) \
	  >>$(OUT)/$*.jsonl

# After a kill, some steps run and are logged twice: keep only the last copy of each line.
$(OUT)/%.done: $(OUT)/%.trained
	@tac $(OUT)/$*.jsonl | awk -F '[:,]' '!told[$$2, $$3 ~ /dev_/]++' | tac >$(OUT)/$*.jsonl.new
	mv $(OUT)/$*.jsonl.new $(OUT)/$*.jsonl
	touch $@
	rm -rf $(OUT)/$*/checkpoints

# Rebuild a model that was deleted.
$(foreach name,encoder embedder,$(if $(wildcard $(OUT)/$(name)/config.json),,$(eval $(OUT)/$(name).trained: FORCE)))

# Evaluates a model on PAIRS.
measure = bert-train --task embed --model $(1) $(PAIRS_OPTIONS) $(threads) --steps 0 --dev $(PAIRS) | \
  sed 's/"dev_/"/g; s/"step":0/"model":"$(2)"/'
COMPARED = $(call measure,$(TEACHER),teacher)

$(OUT)/compared.jsonl: $(OUT)/embedder.done $(PAIRS) $(OUT)/COMPARED.command
	{ $(COMPARED); $(call measure,$(OUT)/embedder,student); } $(into)
