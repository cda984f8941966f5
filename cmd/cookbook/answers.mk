# A finder of answers in texts, from files in the form of SQuAD, 1.1 or 2.0:
#
#   make -f answers.mk MODEL=DIR TRAIN=train-v1.1.json DEV=dev-v1.1.json OUT=FOLDER
#
# The model is OUT/answerer, its journal OUT/answerer.jsonl. It is measured on DEV: OUT/answerer.predictions.json is what
# the official scripts of SQuAD read, OUT/answerer.score.json what they would say of it. Other questions are answered by
#
#   bert-predict -m OUT/answerer --input-format tsv --columns question,context FILE
#
# The variables below, and EPOCHS, LR and others in fine-tuning.mk beside this file, may be set on the command line. What
# is said there of interruptions and changes holds here.

# Of SQuAD 2.0, where some questions have no answer, 0 or a number near it: what "no answer" must be better by than the
# best answer. Without it there is always an answer.
THRESHOLD ?=

# Options of learning and answering, such as --stride 64 --max-answer-length 20.
ANSWER_OPTIONS ?=

NAME = answerer
TASK = answer
INPUT = --input-format squad $(THRESHOLD:%=--no-answer-threshold %) $(ANSWER_OPTIONS)
PREDICTIONS = $(OUT)/answerer.predictions.json

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk

PREDICT += --format squad
SCORE = bert-score --task answer --gold $(DEV) $(SCORE_OPTIONS)
$(OUT)/answerer.score.json: $(DEV)
