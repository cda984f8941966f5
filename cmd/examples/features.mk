# Trains a classifier on the features of an unchanged model (Devlin et al. 2018, section 5.3). The classifier
# sees only the output of the model's last four layers for a text or a word. Takes tables of texts with
# labels, or files of words with tags:
#
#   make -f features.mk MODEL=DIR TRAIN=train.tsv DEV=dev.tsv OUT=FOLDER TEXT=sentence
#   make -f features.mk MODEL=DIR TRAIN=train.conll DEV=dev.conll OUT=FOLDER FORMAT=conll
#
# The features are computed once. OUT/features/train.tsv and dev.tsv have the line number in TRAIN or DEV, the
# label and the features, for use with any classifier. The one here is softmax regression in awk, which is
# installed everywhere. OUT/features/weights.tsv holds what it learned: one line per label, with its bias and
# a weight for each feature. The classifier is evaluated on DEV: predictions.tsv, or tagged.conll (DEV with
# one more column), and score.json.
#
# When data, model or options change, make rebuilds only what depends on them. The variables below can be set
# on the command line. Needs GNU make 4, bash and the tools in PATH. File names must not contain spaces.

$(if $(TRAIN),,$(error TRAIN=FILE says what to learn from))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))
MODEL ?= $(or $(BERT_MODEL),$(default_model))

# FORMAT=tsv: the names of the columns with the text and the label, as in the header lines. FORMAT=conll: the
# word is in the first column and its tag in the last; words beyond the first LENGTH tokens of a sentence are
# tagged O.
FORMAT ?= tsv
TEXT ?= text
LABEL ?= label
LENGTH ?= 128

# The layers to concatenate. The vector of a text is the mean over its tokens; a word has its first token's.
LAYERS ?= -1,-2,-3,-4
EMBED_OPTIONS ?=
$(if $(filter skip %=skip,$(EMBED_OPTIONS)),$(error EMBED_OPTIONS=$(EMBED_OPTIONS): a record left out would shift the labels after it))
EPOCHS ?= 10
RATE ?= 1
THREADS ?=

tokenizer = $(MODEL:%=--model %)
EMBED = bert-embed $(tokenizer) --layers $(LAYERS) --format tsv --precision 4 $(EMBED_OPTIONS)
LEARN = $(EPOCHS) epochs at $(RATE)
model = $(wildcard $(MODEL:%=%/*.*))
train = $(TRAIN)
dev = $(DEV)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
$(call require_files,TRAIN DEV MODEL)
.SECONDARY:
.SECONDEXPANSION:
.PHONY: score

to = $(OUT)/features

score: $(to)/score.json # the default
	@cat $<

# ---- The examples of TRAIN and DEV: line numbers and labels in .labels, with the features added in .tsv.

$(to)/%.tsv: $(to)/%.labels $(if $(filter conll,$(FORMAT)),$(to)/%.tokens.jsonl) $(model) $(to)/EMBED.command
	$(EMBED) $(threads) $(if $(filter conll,$(FORMAT)),$(to)/$*.tokens.jsonl,$($*)) | paste $< - | grep -v $$'^\t' $(into)

ifeq ($(FORMAT),conll)
EMBED += --pooling none --overflow error
READ = $(TOKENIZE) $(TRAIN) $(DEV)
TOKENIZE = bert-tokenize $(tokenizer) --input-format jsonl --word-ids --max-length $(LENGTH) --drop words

# `inside` is true for lines that hold a word. A comment before a sentence is skipped.
words = { sub(/\r$$/, "") } !inside && /^\# .*=/ { next } { inside = NF && $$1 != "-DOCSTART-" }

$(to)/%.tokens.jsonl: $$($$*) $(model) $(to)/READ.command
	awk '
	  function done() { if (words != "") print "{\"words\":[" words "]}"; words = "" }
	  $(words)
	  !inside { done(); next }
	  { gsub(/[\\"]/, "\\\\&", $$1); words = words (words == "" ? "" : ",") "\"" $$1 "\"" }
	  END { done() }' $< | $(TOKENIZE) $(threads) -o $@

# One line per token. The first token of each word gets the word's line number and tag; the others get an
# empty line and are dropped with their features.
$(to)/%.labels: $$($$*) $(to)/%.tokens.jsonl
	sed 's/.*"word_ids":\[\([^]]*\)\].*/\1/' $(to)/$*.tokens.jsonl | awk '
	  NR != FNR {
	    count = split($$0, id, ",")
	    for (i = 1; i <= count; i++) print id[i] != "null" && id[i] != id[i - 1] ? example[FNR, id[i]] : ""
	    next
	  }
	  $(words)
	  !inside { word = 0; next }
	  { example[word ? sentence : ++sentence, word + 0] = FNR "\t" $$NF; word++ }' $< - $(into)
else
EMBED += --text-field $(call as_word,$(TEXT)) --input-format $(FORMAT)
$(call require_columns,TEXT LABEL)
READ = $(LABEL) of $(TRAIN) $(DEV)

$(to)/%.labels: $$($$*) $(to)/READ.command
	awk -F '\t' '
	  { sub(/\r$$/, "") }
	  NR == 1 { for (i = 1; i <= NF; i++) if ($$i == "$(LABEL)") column = i }
	  !column { print FILENAME ": has no column $(LABEL); columns are separated by TAB" >"/dev/stderr"; exit 1 }
	  NR > 1 { print NR "\t" $$column }' $< $(into)
endif

# ---- Softmax regression by stochastic gradient descent with a learning rate that decays to 0. Features are
# ---- standardized for training; the weights written are those for the raw features.

$(to)/weights.tsv: $(to)/train.tsv $(to)/LEARN.command
	count=$$(wc -l <$<)
	LC_ALL=C sort -t $$'\t' -k 1,1R --random-source=/dev/zero $< >$@.shuffled
	awk -F '\t' -v epochs=$(EPOCHS) -v rate=$(RATE) -v count=$$count '
	  BEGIN { for (i = 0; i < epochs; i++) ARGV[ARGC++] = ARGV[1] }
	  NR == FNR {
	    if (!($$2 in known)) { known[$$2]; label[++labels] = $$2 }
	    for (i = 3; i <= NF; i++) { sum[i] += $$i; square[i] += $$i * $$i }
	    next
	  }
	  NR == count + 1 {
	    for (i = 3; i <= NF; i++) {
	      mean[i] = sum[i] / count
	      scale[i] = square[i] / count - mean[i] ^ 2
	      scale[i] = scale[i] > 1e-9 ? 1 / sqrt(scale[i]) : 0
	    }
	  }
	  {
	    for (i = 3; i <= NF; i++) x[i] = ($$i - mean[i]) * scale[i]
	    highest = ""
	    for (k = 1; k <= labels; k++) {
	      z = bias[k]
	      for (i = 3; i <= NF; i++) z += w[k, i] * x[i]
	      logit[k] = z
	      if (highest == "" || z > highest) highest = z
	    }
	    total = 0
	    for (k = 1; k <= labels; k++) total += p[k] = exp(logit[k] - highest)
	    step = rate / (NF - 1) * (1 - (NR - count - 1) / (epochs * count))
	    for (k = 1; k <= labels; k++) {
	      g = step * ((label[k] == $$2) - p[k] / total)
	      if (g < 1e-9 && g > -1e-9) continue
	      bias[k] += g
	      for (i = 3; i <= NF; i++) w[k, i] += g * x[i]
	    }
	  }
	  END {
	    for (k = 1; k <= labels; k++) {
	      line = ""
	      for (i = 3; i <= NF; i++) {
	        line = line "\t" w[k, i] * scale[i]
	        bias[k] -= w[k, i] * scale[i] * mean[i]
	      }
	      print label[k] "\t" bias[k] line
	    }
	  }' $@.shuffled $(into)
	rm $@.shuffled

# Line numbers of DEV with the gold label and the predicted label.
$(to)/predictions.tsv: $(to)/weights.tsv $(to)/dev.tsv
	awk -F '\t' -v OFS='\t' '
	  BEGIN { print "line", "label", "prediction" }
	  NR == FNR { label[NR] = $$1; labels = NR; for (i = 2; i <= NF; i++) w[NR, i] = $$i; next }
	  {
	    highest = ""
	    for (k = 1; k <= labels; k++) {
	      z = w[k, 2]
	      for (i = 3; i <= NF; i++) z += w[k, i] * $$i
	      if (highest == "" || z > highest) { highest = z; best = k }
	    }
	    print $$1, $$2, label[best]
	  }' $^ $(into)

$(to)/tagged.conll: $(to)/predictions.tsv $(DEV)
	awk '
	  NR == FNR { tag[$$1] = $$3; next }
	  /^\# .*=/ && !inside { print }
	  $(words)
	  !inside { print; next }
	  { print $$0 ($$0 ~ /\t/ ? "\t" : " ") (FNR in tag ? tag[FNR] : "O") }' $^ $(into)

ifeq ($(FORMAT),conll)
$(to)/score.json: $(to)/tagged.conll
	awk '$(words) { print inside ? $$0 : "" }' $< | bert-score --task tag --input-format conll -o $@
else
$(to)/score.json: $(to)/predictions.tsv
	bert-score --task classify -o $@ $<
endif
