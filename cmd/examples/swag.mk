# Fine-tunes a model to choose how a text continues, on the CSV files of SWAG (Zellers et al. 2018), as in
# Devlin et al. 2018, section 4.4:
#
#   make -f swag.mk MODEL=DIR TRAIN=train.csv DEV=val.csv OUT=FOLDER
#
# OUT/chooser is the model, OUT/chooser.jsonl the training log. The model is evaluated on DEV:
# OUT/chooser.predictions.jsonl, and OUT/chooser.score.json with the accuracy. OUT/train.jsonl and
# OUT/dev.jsonl hold the same records as JSONL, as bert-train and bert-predict read them: `text` is the first
# sentence, `question` the beginning of the second, and `choices` are its four endings. To convert another
# file, such as test.csv:
#
#   make -s -f swag.mk records CSV=test.csv | bert-predict -m OUT/chooser
#
# The variables below and those of fine-tuning.mk, such as EPOCHS and LR, can be set on the command line. The
# notes on interruptions and changes in fine-tuning.mk apply here. Needs jq.

# The paper's settings are 3 epochs, batch size 16 and a learning rate of 2e-5, which bert-train uses for
# BERT-base by default.

# A tool of this project parses the CSV, whose texts may have commas, quotes and line ends.
csv_records = bert-tokenize $(MODEL:%=--model %) --input-format csv --text-field sent1 --drop input_ids
# $(call to_choices,FILE,COLUMN...): a missing column, or a label other than 0 to 3, is an error.
define to_choices
jq -cn --arg file $(call quoted,$(1)) --arg columns '$(2)' '
  def stop(found): "\($$file): \(found)\n" | halt_error(1);
  foreach inputs as $$row (0; . + 1; . as $$number | $$row
    | ($$columns | split(" ")) - keys | if . == [] then $$row else stop("has no column \(.[0])") end
    | (.label | tonumber? // .) as $$gold
    | if has("label") and ([0, 1, 2, 3] | all(. != $$gold))
      then stop("record \($$number): label is \(.label | tojson), expected 0, 1, 2 or 3") else . end
    | {text: .sent1, question: .sent2, choices: [.ending0, .ending1, .ending2, .ending3]} +
      (if has("label") then {label: $$gold} else {} end))'
endef
texts = sent1 sent2 ending0 ending1 ending2 ending3

ifneq ($(CSV),)
include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
$(call require_files,CSV)
.PHONY: records
records:
	@$(csv_records) $(CSV) | $(call to_choices,$(CSV),$(texts))
else

$(if $(TRAIN),,$(error TRAIN=FILE says what to learn from))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
train.csv := $(TRAIN)
dev.csv := $(DEV)
override TRAIN := $(OUT)/train.jsonl
override DEV := $(OUT)/dev.jsonl

NAME = chooser
TASK = choose
INPUT = --input-format jsonl

include $(dir $(lastword $(MAKEFILE_LIST)))fine-tuning.mk
$(call require,jq)
$(call require_files,train.csv dev.csv)

$(OUT)/train.jsonl: $(train.csv)
$(OUT)/dev.jsonl: $(dev.csv)
$(OUT)/train.jsonl $(OUT)/dev.jsonl:
	@mkdir -p $(OUT)
	trap 'rm -f $@.part' EXIT
	$(csv_records) $< | $(call to_choices,$<,$(texts) label) $(into)
endif
