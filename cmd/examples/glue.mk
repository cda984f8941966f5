# Fine-tunes a model on the tasks of GLUE (Wang et al. 2018), evaluates it, and makes the submission for the
# leaderboard, as in Devlin et al. 2018, section 4.1:
#
#   make -f glue.mk GLUE=glue_data MODEL=DIR OUT=FOLDER
#
# GLUE holds the folders of the benchmark, such as CoLA and MNLI, with the original train.tsv, dev.tsv and
# test.tsv; the diagnostic set is diagnostic/diagnostic.tsv or AX/AX.tsv, or diagnostic/diagnostic-full.tsv, which
# has labels and is evaluated as well. OUT/dev.tsv has the metrics on the dev sets and their mean over the tasks,
# as on the leaderboard. OUT/submission.zip has the predictions for the test sets that are there. OUT/TASK/best is
# the model of each task, OUT/TASK/table.tsv the results of its settings.
#
# Each task is a sweep (sweep.mk): `-j N`, interruptions and changes are described there. The variables below
# can be set on the command line. Needs GNU make 4, bash, flock, zip and the tools in PATH. File names must not
# contain spaces.

$(if $(GLUE),,$(error GLUE=FOLDER says where the benchmark is))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))

# The model to start from; if empty, bert-train uses the default model.
MODEL ?= $(BERT_MODEL)

# The tasks; by default all whose data is there.
TASKS ?= $(foreach task,CoLA SST-2 MRPC STS-B QQP MNLI QNLI RTE WNLI,$(if $(wildcard $(GLUE)/$(task)/train.tsv),$(task)))

# The settings of the paper. The best on the dev set is chosen. Smaller models than BERT-base need higher rates,
# such as RATES='3e-4 1e-4'. Small tasks are trained with several seeds.
RATES ?= 5e-5 4e-5 3e-5 2e-5
BATCH_SIZES ?= 32
EPOCHS ?= 3
SEEDS ?= 1
SMALL ?= CoLA MRPC STS-B RTE WNLI
SMALL_SEEDS ?= 1 2 3 4 5

# Tasks that start from the model for MNLI instead of MODEL, such as AFTER_MNLI='RTE MRPC STS-B'.
AFTER_MNLI ?=

# Tasks without a model: the prediction is always the most frequent label. The dev and test sets of WNLI have
# sentences of its training set with opposite labels, so models that learn them do worse.
MAJORITY ?= WNLI

# The maximum length of a pair in tokens, more options of the tools, and the threads of each run.
LENGTH ?= 128
TRAIN_OPTIONS ?=
PREDICT_OPTIONS ?=
THREADS ?=

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
$(call require_files,GLUE MODEL)
.SECONDARY:
.PHONY: glue dev submission

here := $(dir $(lastword $(MAKEFILE_LIST)))
learned = $(filter-out $(MAJORITY),$(TASKS))

# Evaluated sets: MNLI has two, and the diagnostic set is predicted by the model for MNLI.
ax := $(firstword $(wildcard $(addprefix $(GLUE)/,diagnostic/diagnostic-full.tsv diagnostic/diagnostic.tsv \
  AX/AX.tsv AX/diagnostic.tsv AX.tsv)))
sets = $(foreach task,$(TASKS),$(if $(filter MNLI,$(task)),MNLI-m MNLI-mm,$(task)))
model_of = $(if $(filter MNLI-m MNLI-mm AX,$(1)),MNLI,$(1))
matched = $(patsubst MNLI-m,_matched,$(patsubst MNLI-mm,_mismatched,$(filter MNLI-%,$(1))))
original = $(if $(filter AX,$(1)),$(ax),$(GLUE)/$(call model_of,$(1))/$(2)$(call matched,$(1)).tsv)
dev_sets = $(sets) $(if $(filter MNLI,$(TASKS)),$(if $(findstring diagnostic-full,$(ax)),AX))
test_sets = $(foreach set,$(sets),$(if $(wildcard $(call original,$(set),test)),$(set))) \
  $(if $(filter MNLI,$(TASKS)),$(if $(ax),AX))

# The task of bert-train, the metric that chooses the best run, and the name of the metrics in bert-score.
kind = $(if $(filter STS-B,$(1)),regress,classify)
choose.CoLA = matthews
choose.MRPC = f1
choose.QQP = f1
choose.STS-B = spearman
metric.CoLA = cola
metric.SST-2 = sst2
metric.MRPC = mrpc
metric.STS-B = stsb
metric.QQP = qqp
metric.MNLI-m = mnli_matched
metric.MNLI-mm = mnli_mismatched
metric.QNLI = qnli
metric.RTE = rte
metric.WNLI = wnli
metric.AX = ax

$(if $(strip $(TASKS)),,$(error GLUE=$(GLUE) has no folder of a task with train.tsv))
$(call require,flock $(if $(strip $(test_sets)),zip))
$(if $(AFTER_MNLI),$(if $(filter MNLI,$(learned)),,$(error AFTER_MNLI=$(AFTER_MNLI) needs the task MNLI)))

PREDICT = bert-predict --max-length $(LENGTH) $(PREDICT_OPTIONS)

glue: dev $(if $(strip $(test_sets)),submission) # the default
dev: $(OUT)/dev.tsv
	@cat $<
submission: $(OUT)/submission.zip
	@missing="$(filter-out $(test_sets),CoLA SST-2 MRPC STS-B QQP MNLI-m MNLI-mm QNLI RTE WNLI AX)"
	[ -z "$$missing" ] || echo "$<: lacks $$missing, which the leaderboard requires" >&2

# ---- The benchmark's files in one form: id, text, text_pair, label.

define table
$(OUT)/data/$(1).$(2).tsv: $(call original,$(1),$(2)) $(here)glue.awk
	@mkdir -p $(OUT)/data
	LC_ALL=C awk -v task=$(if $(filter AX,$(1)),AX,$(call model_of,$(1))) -v part=$(2) -f $(here)glue.awk $$< $$(into)
endef
$(foreach task,$(TASKS),$(eval $(call table,$(task),train)))
$(foreach set,$(dev_sets),$(eval $(call table,$(set),dev)))
$(foreach set,$(test_sets),$(eval $(call table,$(set),test)))

# ---- The model of each task: the best run of a sweep.

define learn
$(OUT)/$(1)/best.tsv: $(OUT)/data/$(1).train.tsv $(OUT)/data/$(1:MNLI=MNLI-m).dev.tsv \
  $(if $(filter $(1),$(AFTER_MNLI)),$(OUT)/MNLI/best.tsv) FORCE
	$(if $(dry),make,@+$$(MAKE)) -f $(here)sweep.mk OUT=$(OUT)/$(1) TASK=$(call kind,$(1)) TRAIN=$$< DEV=$$(word 2,$$^) \
	  MODEL=$(if $(filter $(1),$(AFTER_MNLI)),$(OUT)/MNLI/best,$(MODEL)) METRIC=$(or $(choose.$(1)),accuracy) \
	  BATCH_SIZES='$(BATCH_SIZES)' RATES='$(RATES)' EPOCHS='$(EPOCHS)' INPUT= \
	  SEEDS='$(if $(filter $(1),$(SMALL)),$(SMALL_SEEDS),$(SEEDS))' KEEP=best THREADS='$(THREADS)' \
	  TRAIN_OPTIONS=$$(call quoted,--max-length $$(LENGTH) $$(TRAIN_OPTIONS))
endef
$(foreach task,$(learned),$(eval $(call learn,$(task))))

# ---- Predictions, metrics and the files of the submission.

pair_texts = text,text_pair
define predict
$(OUT)/predictions/$(1).$(2).jsonl: $(OUT)/data/$(1).$(2).tsv $(OUT)/PREDICT.command \
  $(if $(filter $(1),$(MAJORITY)),$(OUT)/data/$(1).train.tsv,$(OUT)/$(call model_of,$(1))/best.tsv)
	@mkdir -p $(OUT)/predictions
	$(if $(filter $(1),$(MAJORITY)),$(call majority,$(1)) $$(into),$$(PREDICT) $$(threads) -m $(OUT)/$(call model_of,$(1))/best \
	  --task $(call kind,$(1)) --drop $(if $(filter CoLA SST-2,$(1)),text,$(pair_texts)) -o $$@ $$<)
endef
majority = awk -F '\t' 'NR == FNR { if (FNR > 1) count[$$$$NF]++; next } \
  FNR == 1 { for (label in count) if (count[label] > count[best] || count[label] == count[best] && label < best) best = label; \
    labelled = $$$$NF == "label"; next } \
  { print "{\"id\":\"" $$$$1 "\"," (labelled ? "\"label\":\"" $$$$NF "\"," : "") "\"prediction\":\"" best "\"}" }' \
  $(OUT)/data/$(1).train.tsv $$<
$(foreach set,$(dev_sets),$(eval $(call predict,$(set),dev)))
$(foreach set,$(test_sets),$(eval $(call predict,$(set),test)))

$(OUT)/scores/%.json: $(OUT)/predictions/%.dev.jsonl
	@mkdir -p $(OUT)/scores
	bert-score --metric glue/$(metric.$*) -o $@ $<

# Metrics in percent. The diagnostic set is not in the mean; an undefined correlation counts as 0.
$(OUT)/dev.tsv: $(dev_sets:%=$(OUT)/scores/%.json)
	@awk '
	  BEGIN { print "task\tmetric\tdev" }
	  {
	    set = FILENAME
	    sub(/.*\//, "", set)
	    sub(/\.json$$/, "", set)
	    gsub(/[{}" ]/, "")
	    metrics = split($$0, metric, ",")
	    for (i = 1; i <= metrics; i++) {
	      split(metric[i], part, ":")
	      if (part[1] == "records" || part[1] == "positive") continue
	      printf "%s\t%s\t%.1f\n", set, part[1], 100 * part[2]
	      task = set ~ /^MNLI/ ? "MNLI" : set
	      if (set == "AX") continue
	      if (!(task in count)) tasks++
	      sum[task] += 100 * part[2]
	      count[task]++
	    }
	  }
	  END {
	    for (task in count) mean += sum[task] / count[task]
	    printf "mean\t\t%.1f\n", mean / tasks
	  }' $^ $(into)

# STS-B: a number from 0 to 5; other tasks: the label as in the training set.
$(OUT)/submission/%.tsv: $(OUT)/predictions/%.test.jsonl
	@mkdir -p $(OUT)/submission
	sed 's/.*"id":"\([^"]*\)".*"prediction":"\{0,1\}\([^",}]*\).*/\1\t\2/' $< | awk -F '\t' -v OFS='\t' '
	  BEGIN { print "index", "prediction" }
	  "$*" == "STS-B" { $$2 = sprintf("%.3f", $$2 < 0 ? 0 : $$2 > 5 ? 5 : $$2) }
	  { print $$1, $$2 }' $(into)

# zip writes to a temporary file and renames it.
$(OUT)/submission.zip: $(test_sets:%=$(OUT)/submission/%.tsv)
	@rm -f $@
	zip -q -X -j $@ $^
