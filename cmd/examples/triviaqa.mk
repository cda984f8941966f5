# Fine-tunes a question-answering model on TriviaQA, before it is fine-tuned on SQuAD (Devlin et al. 2018,
# section 4.2):
#
#   make -f triviaqa.mk MODEL=DIR TRIVIAQA=qa/wikipedia-train.json EVIDENCE=evidence DEV=dev-v1.1.json OUT=trivia
#   make -f answers.mk MODEL=trivia/answerer TRAIN=train-v1.1.json DEV=dev-v1.1.json OUT=squad
#
# TRIVIAQA is one or more files of TriviaQA's folder qa, EVIDENCE its folder of documents; triviaqa.sh says
# what becomes of them. OUT/trivia.jsonl has the records. The results are those of answers.mk, whose variables
# and notes apply. DEV is a file in the format of SQuAD, or records that triviaqa.sh has made. Needs jq 1.6.

$(if $(TRIVIAQA),,$(error TRIVIAQA=FILE says what to learn from))
$(if $(EVIDENCE),,$(error EVIDENCE=FOLDER says where the documents are))

# The number of words of each document.
WORDS ?= 400

# The paper does not give the number of epochs.
EPOCHS ?= 1

override TRAIN := $(OUT)/trivia.jsonl
CONVERT = sh $(folder)triviaqa.sh -w $(WORDS) $(EVIDENCE) $(TRIVIAQA)

folder := $(dir $(lastword $(MAKEFILE_LIST)))
include $(folder)answers.mk
$(call require_files,TRIVIAQA EVIDENCE)

$(TRAIN): $(TRIVIAQA) $(folder)triviaqa.sh $(OUT)/answerer.CONVERT.command
	$(CONVERT) $(into)
