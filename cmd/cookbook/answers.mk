# Fine-tunes a question-answering model on files in the format of SQuAD 1.1 or 2.0:
#
#   make -f answers.mk MODEL=DIR TRAIN=train-v1.1.json DEV=dev-v1.1.json OUT=FOLDER
#
# OUT/answerer is the model, OUT/answerer.jsonl the training log. The model is evaluated on DEV:
# OUT/answerer.predictions.json is in the format of SQuAD's official scripts, and OUT/answerer.score.json has
# the scores that they would compute. To answer other questions:
#
#   bert-predict -m OUT/answerer --input-format tsv --columns question,context FILE
#
# The variables below and those of fine-tuning.mk, such as EPOCHS and LR, can be set on the command line. The
# notes on interruptions and changes in fine-tuning.mk apply here.

# For SQuAD 2.0, where some questions have no answer: predict "no answer" if its score exceeds that of the
# best answer by more than THRESHOLD. Use 0 or a number near it. If empty, there is always an answer.
THRESHOLD ?=

# Options of both bert-train and bert-predict, such as --stride 64 --max-answer-length 20.
ANSWER_OPTIONS ?=

NAME = answerer
TASK = answer
INPUT = --input-format squad $(THRESHOLD:%=--no-answer-threshold %) $(ANSWER_OPTIONS)
PREDICTIONS = $(OUT)/answerer.predictions.json

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk

PREDICT += --format squad
SCORE = bert-score --task answer --gold $(DEV) $(SCORE_OPTIONS)
$(OUT)/answerer.score.json: $(DEV)
