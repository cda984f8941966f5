# Pre-trains a model on a folder of texts. Each text is one document:
#
#   make -f model.mk TEXTS=FOLDER OUT=FOLDER              OUT/model
#   make -f model.mk TEXTS=FOLDER OUT=FOLDER model-512    also OUT/model-512, trained further at 512 tokens
#
# Vocabulary and data are those of pretraining.mk in this folder. Its variables can be set here, and its
# target `parallel` makes the data on all cores. The model is evaluated on held-out texts. OUT/model.jsonl is
# the training log; if gnuplot is installed, OUT/model.svg plots it.
#
# When run again after an interruption, training resumes from the last checkpoint and gives the same bytes.
# Finished steps are not repeated. Once training has begun, changes of texts or options that would give
# another model are refused, since the model may hold days of work. To start over, run `rm -r OUT/model` (and
# OUT/model-512); to keep both models, set another OUT.

model: # the default

# As in the paper, nine tenths of the steps use sequences of LENGTH tokens and the rest LONG, which also names
# the second model.
PRESET ?= mini
STEPS ?= 20000
LENGTH ?= 128
LONG ?= 512
LONG_STEPS ?= $(STEPS:%=$(shell echo $$((($(STEPS) + 8) / 9))))
HELD_OUT ?= 2%

# Options of bert-train for the first run, such as --batch-size 64 --lr 5e-4 --save-every 500, and for the
# second. MASK_OPTIONS apply to both runs: bert-train masks the tokens, differently in each epoch. To use
# --model-config FILE, empty PRESET; to use --epochs N, empty STEPS. Then set LONG_OPTIONS, too, for the second run.
TRAIN_OPTIONS ?= $(dev:%=--eval-every 1000)
LONG_OPTIONS ?= $(TRAIN_OPTIONS)

RESULT = instances.jsonl
include $(dir $(lastword $(MAKEFILE_LIST)))pretraining.mk

# ---- Data: as in pretraining.mk, plus the same sentences in longer instances.

data = $(call each_shard,$(1)) $(dev:%/instances.jsonl=%/$(1))
dev = $(if $(filter-out 0,$(HELD_OUT)),$(OUT)/dev/instances.jsonl)

PAIRS-$(LONG) = $(call pairs,$(LONG))
$(part)/instances-$(LONG).jsonl: $(part)/sentences.jsonl $(OUT)/PAIRS-$(LONG).command
	$(PAIRS-$(LONG)) $(threads) --first-record $(subst dev,0,$(notdir $*)) -o $@ $<

# ---- Training: the variable named after a model holds its command.

.PHONY: model model-$(LONG)
model model-$(LONG): %: $(OUT)/%.done

learn = bert-train --task pretrain $(MASK_OPTIONS)
model = $(learn) --vocab $(VOCAB) $(PRESET:%=--preset %) $(STEPS:%=--steps %) $(TRAIN_OPTIONS)
model-$(LONG) = $(learn) --model $(OUT)/model --moments $(LONG_STEPS:%=--steps %) $(LONG_OPTIONS)
records = $(call each_shard,instances$(*:model%=%).jsonl)
gnuplot := $(shell command -v gnuplot)

$(OUT)/model.checked: $(VOCAB) $(call data,instances.jsonl)
$(OUT)/model-$(LONG).checked: $(OUT)/model/model.safetensors $(call data,instances-$(LONG).jsonl)
$(OUT)/model/model.safetensors: $(OUT)/model.done ;

# Training data are compared by checksum: data that were rebuilt with the same content count as unchanged.
$(OUT)/%.checked:
	@cat $^ | cksum >$(OUT)/$*.new
	if ! cmp -s $(OUT)/$*.new $(OUT)/$*.data; then
	  if [ -e $(OUT)/$*/config.json ] || compgen -G '$(OUT)/$*/checkpoints/step-*' >/dev/null; then
	    echo '$(OUT)/$* was trained on other data; to start again, rm -r $(OUT)/$*' >&2
	    exit 1
	  fi
	  mv $(OUT)/$*.new $(OUT)/$*.data
	fi
	rm -f $(OUT)/$*.new
	touch $@
$(OUT)/%.data: $(OUT)/%.checked ;

# No file named .trained is ever made: make skips this intermediate target while .done is newer than its
# prerequisites. `exec` lets signals reach bert-train, which then saves a checkpoint.
$(OUT)/%.trained: $(OUT)/%.data $(OUT)/%.command
	if [ -e $(OUT)/$*.done ] && [ -e $(OUT)/$*/config.json ] && ! compgen -G '$(OUT)/$*/checkpoints/step-*' >/dev/null; then
	  echo '$(OUT)/$* has no checkpoint to resume from; to start again, rm -r $(OUT)/$*' >&2
	  exit 1
	fi
	$(call continue_log,$(OUT)/$*)
	rm -f $(OUT)/$*.done
	exec $($*) $(threads) $(dev:%/instances.jsonl=--dev %/instances$(*:model%=%).jsonl) \
	  $(if $(gnuplot),--plot $(OUT)/$*.svg) --out $(OUT)/$* --resume $(records) >>$(OUT)/$*.jsonl

# After a kill, some steps run and are logged twice: keep only the last copy of each line. Lines begin with
# {"step":N,"loss":... or, for the dev set, {"step":N,"dev_loss":...
$(OUT)/%.done: $(OUT)/%.trained
	@awk -F '[:,]' '
	  {
	    dev = ($$3 ~ /dev_/)
	    while (n && (step[n] > $$2 || step[n] == $$2 && of_dev[n] >= dev)) n--
	    line[++n] = $$0
	    step[n] = $$2 + 0
	    of_dev[n] = dev
	  }
	  END { for (i = 1; i <= n; i++) print line[i] }' $(OUT)/$*.jsonl >$(OUT)/$*.jsonl.new
	mv $(OUT)/$*.jsonl.new $(OUT)/$*.jsonl
	touch $@

# Rebuild a model that was deleted.
$(foreach name,model model-$(LONG),$(if $(wildcard $(OUT)/$(name)/config.json),,$(eval $(OUT)/$(name).trained: FORCE)))
