# Fine-tunes a question-answering model on files in the format of SQuAD 1.1 or 2.0. With the settings of
# Devlin et al. 2018, sections 4.2 and 4.3:
#
#   make -f answers.mk MODEL=DIR TRAIN=train-v1.1.json DEV=dev-v1.1.json OUT=FOLDER LR=5e-5
#   make -f answers.mk MODEL=DIR TRAIN=train-v2.0.json DEV=dev-v2.0.json OUT=FOLDER LR=5e-5 EPOCHS=2 \
#     TRAIN_OPTIONS='--batch-size 48' THRESHOLD=dev
#
# OUT/answerer is the model, OUT/answerer.jsonl the training log. The model is evaluated on DEV:
# OUT/answerer.predictions.json is in the format of SQuAD's official scripts, and OUT/answerer.score.json has
# the scores that they would compute. triviaqa.mk trains on TriviaQA first; ensemble.mk combines several models.
# To answer other questions:
#
#   bert-predict -m OUT/answerer --input-format tsv --columns question,context FILE
#
# The variables below and those of fine-tuning.mk, such as EPOCHS and LR, can be set on the command line. The
# notes on interruptions and changes in fine-tuning.mk apply here.

# For SQuAD 2.0, where some questions have no answer: predict "no answer" if its score exceeds that of the
# best answer by more than THRESHOLD. Use 0 or a number near it, or dev for the number with the highest F1 on
# DEV, which is then in OUT/answerer.threshold (needs jq). If empty, there is always an answer.
THRESHOLD ?=

# Options of both bert-train and bert-predict, such as --stride 64 --max-answer-length 20.
ANSWER_OPTIONS ?=

NAME = answerer
TASK = answer
fixed = $(filter-out dev,$(THRESHOLD))
INPUT = $(fixed:%=--no-answer-threshold %) $(ANSWER_OPTIONS)
official = $(OUT)/answerer.predictions.json
scored = $(OUT)/answerer.scored.jsonl
limit = $(OUT)/answerer.threshold
PREDICTIONS = $(if $(filter dev,$(THRESHOLD)),$(scored),$(official))

.PHONY: answers
answers: score $(official) # the default

here := $(dir $(lastword $(MAKEFILE_LIST)))
include $(here)fine-tuning.mk

SCORE = bert-score --task answer --gold $(DEV) $(SCORE_OPTIONS)
$(OUT)/answerer.score.json: $(DEV)
ifeq ($(THRESHOLD),dev)
PREDICT += --keep id,prediction,null_score
SCORE += --no-answer-threshold $$(cat $(limit))
$(OUT)/answerer.score.json: $(limit)
include $(here)no-answer.mk
else
PREDICT += --format squad
endif
