# Answers questions with several models together, by the mean of their probabilities (the ensembles of Devlin
# et al. 2018, section 4.2), and evaluates the answers:
#
#   make -f ensemble.mk MODELS='DIR DIR ...' DEV=dev-v1.1.json OUT=FOLDER
#
# MODELS are models for answers, such as those of answers.mk with different seeds, or all of a sweep:
#
#   make -f sweep.mk TASK=answer TRAIN=train-v1.1.json DEV=dev-v1.1.json OUT=sweep SEEDS='1 2 3 4 5 6 7' KEEP=all \
#     BATCH_SIZES=32 RATES=5e-5 EPOCHS=3
#   make -f ensemble.mk MODELS="$(ls -d sweep/runs/*/)" DEV=dev-v1.1.json OUT=ensemble
#
# OUT/ensemble.predictions.json is in the format of SQuAD's official scripts, OUT/ensemble.score.json has the
# scores. A question whose context has no words gets the answer "". For files without gold answers, use the
# target predictions. make repeats only what changed. The variables below can be set on the command line. Needs
# GNU make 4, bash, jq and the tools in PATH. File names must not contain spaces.

$(if $(MODELS),,$(error MODELS='DIR DIR ...' says which models to combine))
$(if $(DEV),,$(error DEV=FILE says what to answer))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))
$(if $(filter-out $(words $(sort $(abspath $(MODELS)))),$(words $(MODELS))),$(error MODELS=$(MODELS) has the same model twice))

# For SQuAD 2.0: predict "no answer" if the logarithm of its mean probability exceeds that of the best answer
# by more than THRESHOLD. dev: the number with the highest F1 on DEV, which is then in OUT/ensemble.threshold;
# use it for other files. If empty, there is always an answer.
THRESHOLD ?=

# The number of answers per model: the others have probability 0.
N_BEST ?= 20

# Options of bert-predict, such as --max-answer-length 20.
ANSWER_OPTIONS ?=
SCORE_OPTIONS ?=
THREADS ?=

PREDICT = bert-predict --task answer --n-best $(N_BEST) --keep id,null_score,n_best $(ANSWER_OPTIONS) $(DEV)
MEMBERS = $(MODELS)
SETTINGS = no answer: $(or $(THRESHOLD),never)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
.PHONY: score predictions
$(call require,jq)
$(call require_files,MODELS DEV)

official = $(OUT)/ensemble.predictions.json
scored = $(OUT)/ensemble.scored.jsonl
limit = $(OUT)/ensemble.threshold
here := $(dir $(lastword $(MAKEFILE_LIST)))
answers = $(OUT)/members/$(subst /,_,$(abspath $(1))).jsonl

score: $(OUT)/ensemble.score.json $(official) # the default
	@cat $<
predictions: $(official)

# The best answers of each model, all in the order of DEV.
define predict
$(call answers,$(1)): $(DEV) $(wildcard $(1)/*.*) $(OUT)/PREDICT.command
	mkdir -p $$(@D)
	$$(PREDICT) $$(threads) -m $(1) -o $$@
endef
$(foreach model,$(MODELS),$(eval $(call predict,$(model))))

# A model's probabilities are those of its answers alone; null_score, the logit of "no answer" minus that of the
# best answer, gives the probability of "no answer" among them. Answers with equal texts are one answer. A model
# without answers, because it finds no words in the context, is sure of "no answer".
$(scored): $(foreach model,$(MODELS),$(call answers,$(model))) $(OUT)/MEMBERS.command $(OUT)/SETTINGS.command
	@trap 'rm -f $@.part' EXIT
	paste -d '\t' $(filter %.jsonl,$^) | jq -cnR --arg file '$(DEV)' --argjson null $(if $(THRESHOLD),true,false) '
	  def stop(found): "\($$file): \(found)\n" | halt_error(1);
	  def weighted:
	    if .n_best == [] then {null: true, score: 1}
	    else (.n_best[0].score * ([.null_score, 80] | min | exp)) as $$null_score
	      | (if $$null then 1 + $$null_score else 1 end) as $$sum
	      | (.n_best[] | {text, score: (.score / $$sum)}), {null: true, score: ($$null_score / $$sum)}
	    end;
	  foreach inputs as $$line (0; . + 1; . as $$number | $$line
	  | split("\t") | map(fromjson) | length as $$models | .[0].id as $$id
	  | if map(.id) | unique | length > 1 then stop("the models answer other questions than each other") else . end
	  | if $$id == null then stop("record \($$number): field \"id\" is missing") else . end
	  | map(weighted)
	  | (map(select(.null) | .score) | add / $$models) as $$none
	  | map(select(.null | not)) | group_by(.text) | map({text: .[0].text, score: (map(.score) | add / $$models)})
	  | max_by(.score) // {text: "", score: 0}
	  | {id: $$id, prediction: .text, score, null_score: (($$none + 1e-30) / (.score + 1e-30) | log)})' $(into)

ifeq ($(THRESHOLD),)
$(official): $(scored)
	jq -n '[inputs | {(.id | tostring): .prediction}] | add // {}' $< $(into)
else
include $(here)no-answer.mk
$(OUT)/ensemble.score.json: $(limit)
endif

$(OUT)/ensemble.score.json: $(scored) $(DEV)
	bert-score --task answer --gold $(DEV) $(if $(THRESHOLD),--no-answer-threshold $$(cat $(limit))) $(SCORE_OPTIONS) -o $@ $<
