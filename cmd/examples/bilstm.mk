# Trains a BiLSTM tagger on the features of an unchanged model, by PyTorch (Devlin et al. 2018, section 5.3, "feature-based
# approach"), and evaluates it:
#
#   make -f bilstm.mk MODEL=DIR TRAIN=train.conll DEV=dev.conll OUT=FOLDER                    the last four layers
#   make -f bilstm.mk MODEL=DIR TRAIN=train.conll DEV=dev.conll OUT=FOLDER LAYERS=0           the embeddings
#
# OUT/train.npy and dev.npy are the features of each token, for use with any program; OUT/train.jsonl and dev.jsonl
# say which tokens are which words. OUT/predictions-SEED.jsonl has the tags, OUT/table.tsv the mean and the standard
# deviation of F1 over the seeds.
#
# When data, model or options change, make rebuilds only what depends on them. The variables below can be set on the
# command line. Needs GNU make 4, bash, PyTorch (Debian: python3-torch; with libopenblas0 it is three times as fast)
# and the tools in PATH. File names must not contain spaces.

$(if $(TRAIN),,$(error TRAIN=FILE says what to learn from))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))
MODEL ?= $(or $(BERT_MODEL),$(default_model))

# The layers to read, and how to combine them: concat, or weighted, a sum with learned weights.
LAYERS ?= -1,-2,-3,-4
MIX ?= concat

# Words beyond the first LENGTH tokens of a sentence are tagged O.
LENGTH ?= 128
EMBED_OPTIONS ?=

# Units of each of the two LSTM layers and directions, and the training.
UNITS ?= 768
EPOCHS ?= 10
LSTM_OPTIONS ?=
SEEDS ?= 1
PYTHON ?= /usr/bin/python3
THREADS ?=

tokenizer = $(MODEL:%=--model %)
comma = ,
count = $(words $(subst $(comma), ,$(LAYERS)))
TOKENIZE = bert-tokenize $(tokenizer) --input-format conll --word-ids --max-length $(LENGTH)
READ = $(TOKENIZE) $(TRAIN) $(DEV)
EMBED = bert-embed $(tokenizer) --layers $(LAYERS) --pooling none --format npy --input-format jsonl $(EMBED_OPTIONS)
LEARN = $(PYTHON) $(here)bilstm.py --units $(UNITS) --epochs $(EPOCHS) $(if $(filter weighted,$(MIX)),--mix $(count)) $(LSTM_OPTIONS)
AVERAGE = seeds $(SEEDS)
here := $(dir $(lastword $(MAKEFILE_LIST)))
model = $(wildcard $(MODEL:%=%/*.*))
train = $(TRAIN)
dev = $(DEV)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
$(call require_files,TRAIN DEV MODEL)
.SECONDEXPANSION:
.PHONY: score

score: $(OUT)/table.tsv # the default
	@expand -t 12 $<

$(OUT)/train.jsonl $(OUT)/dev.jsonl: $(OUT)/%.jsonl: $$($$*) $(model) $(OUT)/READ.command
	$(TOKENIZE) $(threads) -o $@ $<

$(OUT)/train.npy $(OUT)/dev.npy: %.npy: %.jsonl $(OUT)/EMBED.command
	$(EMBED) $(threads) -o $@ $<

$(SEEDS:%=$(OUT)/predictions-%.jsonl): $(OUT)/predictions-%.jsonl: $(OUT)/train.npy $(OUT)/dev.npy $(OUT)/LEARN.command $(here)bilstm.py
	$(LEARN) --seed $* $(THREADS:%=--threads %) --train $(OUT)/train.jsonl $(OUT)/train.npy --dev $(OUT)/dev.jsonl $(OUT)/dev.npy $(into)

$(SEEDS:%=$(OUT)/score-%.json): $(OUT)/score-%.json: $(OUT)/predictions-%.jsonl
	bert-score --task tag -o $@ $<

$(OUT)/table.tsv: $(SEEDS:%=$(OUT)/score-%.json) $(OUT)/AVERAGE.command
	@sed 's/.*"f1":\([^,]*\),"accuracy".*/\1/' $(filter %.json,$^) | awk '
	  { sum += $$1; square[NR] = $$1; if (NR == 1 || $$1 > best) best = $$1 }
	  END {
	    for (i = 1; i <= NR; i++) squares += (square[i] - sum / NR) ^ 2
	    print "mean\tdeviation\tbest\truns"
	    deviation = NR > 1 ? sprintf("%.4f", sqrt(squares / (NR - 1))) : "-"
	    printf "%.4f\t%s\t%.4f\t%d\n", sum / NR, deviation, best, NR
	  }' $(into)
