# A pre-trained model from a folder of texts, each of which is a document:
#
#   make -f model.mk TEXTS=FOLDER OUT=FOLDER              OUT/model
#   make -f model.mk TEXTS=FOLDER OUT=FOLDER model-512    and OUT/model-512, which is OUT/model trained on at 512 tokens
#
# Vocabulary and data are those of pretraining.mk beside this file, whose variables may be set here as well, and whose
# `parallel` makes the data on all cores. The model is measured on texts that are held out. Beside OUT/model stand its
# journal, model.jsonl, and where gnuplot is installed its curve, model.svg.
#
# Killed at any moment and run again, training goes on from its last snapshot and ends with the same bytes. What is
# finished is not done again. Texts or options that would make another model are refused once training has begun, since
# days of work may be in it: `rm -r OUT/model` (and OUT/model-512) begins anew, another OUT keeps both.

model: # the default

# The paper trains nine tenths of its steps at LENGTH tokens and the rest at LONG, which also names the second model.
PRESET ?= mini
STEPS ?= 20000
LENGTH ?= 128
LONG ?= 512
LONG_STEPS ?= $(STEPS:%=$(shell echo $$((($(STEPS) + 8) / 9))))
HELD_OUT ?= 2%

# Options of bert-train, such as --batch-size 64 --lr 5e-4 --save-every 500, and of the second run. MASK_OPTIONS are of
# both, since it is bert-train that hides tokens, others in each epoch. PRESET= and STEPS= make room for --config FILE and
# for --epochs N here; LONG_OPTIONS must then be set, too, to what fits the second run.
TRAIN_OPTIONS ?= $(dev:%=--eval-every 1000)
LONG_OPTIONS ?= $(TRAIN_OPTIONS)

RESULT = instances.jsonl
include $(dir $(lastword $(MAKEFILE_LIST)))pretraining.mk

# ---- Data: that of pretraining.mk, and the same sentences in longer instances.

data = $(call each_shard,$(1)) $(dev:%/instances.jsonl=%/$(1))
dev = $(if $(filter-out 0,$(HELD_OUT)),$(OUT)/dev/instances.jsonl)

PAIRS-$(LONG) = $(call pairs,$(LONG))
$(part)/instances-$(LONG).jsonl: $(part)/sentences.jsonl $(OUT)/PAIRS-$(LONG).command
	$(PAIRS-$(LONG)) $(threads) --first-record $(subst dev,0,$(notdir $*)) -o $@ $<

# ---- Training: a variable of the model's name has the command.

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

# What is learned from is told by its checksum, since data that came out as before does no harm.
$(OUT)/%.checked:
	@cat $^ | cksum >$(OUT)/$*.new
	if ! cmp -s $(OUT)/$*.new $(OUT)/$*.data; then
	  if [ -e $(OUT)/$*/config.json ] || compgen -G '$(OUT)/$*/snapshots/step-*' >/dev/null; then
	    echo '$(OUT)/$* has learned from other data than there is now: rm -r $(OUT)/$* begins anew' >&2
	    exit 1
	  fi
	  mv $(OUT)/$*.new $(OUT)/$*.data
	fi
	rm -f $(OUT)/$*.new
	touch $@
$(OUT)/%.data: $(OUT)/%.checked ;

# Nothing is ever called .trained: it is passed over while .done is newer than what it depends on. bert-train takes the
# place of the shell, so that signals reach it and it saves its work.
$(OUT)/%.trained: $(OUT)/%.data $(OUT)/%.command
	if ! compgen -G '$(OUT)/$*/snapshots/step-*' >/dev/null; then
	  if [ -e $(OUT)/$*.done ] && [ -e $(OUT)/$*/config.json ]; then
	    echo '$(OUT)/$* has no snapshot to go on from: rm -r $(OUT)/$* begins anew' >&2
	    exit 1
	  fi
	  rm -f $(OUT)/$*.jsonl
	fi
	rm -f $(OUT)/$*.done
	exec $($*) $(threads) $(dev:%/instances.jsonl=--dev %/instances$(*:model%=%).jsonl) \
	  $(if $(gnuplot),--plot $(OUT)/$*.svg) --out $(OUT)/$* --resume $(records) >>$(OUT)/$*.jsonl

# A run that was killed has told steps that were done again: only their last lines stay. Records are
# {"step":N,"loss":... and, of the dev set, {"step":N,"dev_loss":...
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

# A model that was removed is made again.
$(foreach name,model model-$(LONG),$(if $(wildcard $(OUT)/$(name)/config.json),,$(eval $(OUT)/$(name).trained: FORCE)))
