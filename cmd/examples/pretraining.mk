# Makes pre-training data from a folder of texts. Each text is one document:
#
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER            one shard after another, each step on all cores
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER parallel   with GNU parallel, one shard per core
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER check      compares the result with a run without shards
#
# The first two give the same bytes: OUT/vocab/vocab.txt and, in this order, OUT/shards/*/train.jsonl. The
# intermediate files beside these may be deleted. All files together take five times the space of the texts.
# To train a model as well, use model.mk.
#
# When run again, make rebuilds only what changed, and continues an interrupted run. If a text was changed,
# added or removed, its shard is rebuilt, and later shards if their texts moved. If the new vocabulary equals
# the old one, nothing is rebuilt for it. The variables below can be set on the command line; what depends on
# them is then rebuilt.
#
# Needs GNU make 4, GNU find, bash and the tools in PATH. OUT must not contain spaces, names of texts no newlines. The vocabulary equals that of a single run unless the texts have more distinct words than
# bert-vocab's --max-words.

$(if $(TEXTS),,$(error TEXTS=FOLDER says where the texts are))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))
# The names of the texts. Markdown is read as it is.
NAMES ?= *.txt *.md

# Options of the tools. READ_OPTIONS, such as --invalid-utf8 replace, apply to both tools that read texts.
# Avoid --on-error skip: a skipped text shifts the texts after it, and the result differs from a single run.
CASE ?= --uncased
READ_OPTIONS ?=
VOCAB_OPTIONS ?= --size 30522
TOKENIZE_OPTIONS ?=
LENGTH ?= 128
PAIRS_OPTIONS ?=
MASK_OPTIONS ?=
THREADS ?=

# POOL is the number of documents in a block, from which random sentences are drawn; SHARD, the texts per
# shard, is a multiple of it. A last shard of at most half the size is merged into the one before: a single
# document in it would need random sentences from there. For books, use fewer texts: SHARD=64.
POOL ?= 64
SHARD ?= 256

# The number of texts to hold out for evaluation (model.mk), or their share, such as 2%, but at least two.
# They go to OUT/dev and are neither in the vocabulary nor in the shards. They are the first in the order of
# `sort -R --random-source=/dev/zero` of the names below TEXTS. Adding or removing texts does not reorder the
# others.
HELD_OUT ?= 0

# The final file of each shard.
RESULT ?= train.jsonl

COUNT = bert-vocab $(CASE) --input-format file $(READ_OPTIONS) --size 0
LEARN = bert-vocab $(CASE) $(VOCAB_OPTIONS)
tokenizer ?= --vocab $(VOCAB)
TOKENIZE = bert-tokenize $(tokenizer) --input-format file $(READ_OPTIONS) --sentences $(TOKENIZE_OPTIONS)
# These modes draw no random sentences.
pool = $(if $(filter sop none full --mode=sop --mode=none --mode=full,$(PAIRS_OPTIONS)),,--pool $(POOL))
pairs = bert-nsp-pairs $(tokenizer) $(pool) --max-length $(1) $(PAIRS_OPTIONS)
PAIRS = $(call pairs,$(LENGTH))
MASK = bert-mask $(tokenizer) $(MASK_OPTIONS)
CUT = $(TEXTS)/$(NAMES), $(SHARD) a shard, $(POOL) a block, $(HELD_OUT) held out

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
.SECONDARY:
.PHONY: train words vocab parallel check

part = $(OUT)/%# shards/NUMBER, or dev for the held-out texts
each_shard = $(SHARDS:%=$(OUT)/shards/%/$(1))
# Reads the list of texts in the first prerequisite into an array.
read_texts = mapfile -t texts < <(cut -d ' ' -f 3- $<)

train: # the default

# ---- A shard is a list of lines "size time path", so the list changes when a text does. Its folder is named
# ---- by the index of its first text. The list of all texts is replaced last, so that a run that was killed is repeated.

ifndef SHARDS
folder = $(call quoted,$(TEXTS))
named = -type f -size +0 \( -false $(foreach name,$(NAMES),-o -name $(call quoted,$(name))) \)
# Checked here, since make would add two lines to an error of the recipe.
$(if $(shell [ -d $(folder) ] && echo yes),,$(error TEXTS=$(TEXTS): there is no such folder))
$(if $(shell find -L $(folder) $(named) -print -quit),,$(error $(TEXTS) contains no file named $(NAMES); set NAMES='*.rst' for others))
$(if $(filter 0,$(shell echo $$(($(SHARD) % $(POOL))))),,$(error SHARD=$(SHARD) is not a multiple of POOL=$(POOL)))
$(if $(shell [[ '$(HELD_OUT)' =~ ^[0-9]+%?$$ ]] && echo yes),,$(error HELD_OUT=$(HELD_OUT) is neither a number nor a percentage))

include $(OUT)/shards.mk
$(OUT)/shards.mk: $(OUT)/CUT.command FORCE
	@folder=$(folder)
	find -L "$$folder" -samefile $(OUT) -prune -o $(named) -printf '%s %T@ %p\n' |
	  LC_ALL=C sort -t ' ' -k 3 >$(OUT)/all
	[ -s $(OUT)/all ] || { echo "$$folder contains no file named $(NAMES)" >&2; exit 1; }
	mkdir -p $(OUT)/dev
	: >$(OUT)/texts.new >$(OUT)/dev/texts.new
	name='{ name = $$0; sub(/^[^ ]* [^ ]* /, "", name); name = substr(name, skipped + 1) }'
	skipped=$$(printf %s "$${folder%/}/" | wc -c)
	LC_ALL=C awk -v skipped=$$skipped "$$name"' { print name }' $(OUT)/all | LC_ALL=C sort -R --random-source=/dev/zero |
	  LC_ALL=C awk -v skipped=$$skipped -v count=$(HELD_OUT) -v out=$(OUT) '
	    NR == FNR { names[NR] = $$0; next }
	    FNR == 1 {
	      if (sub(/%$$/, "", count) && (count = int(count / 100 * (NR - 1) + 0.5)) < 2) count = 2
	      for (i = 1; i <= count; i++) held[names[i]]
	    }
	    '"$$name"'
	    { print >(out (name in held ? "/dev" : "") "/texts.new") }' - $(OUT)/all
	rm $(OUT)/all
	[ -s $(OUT)/texts.new ] || { echo "HELD_OUT=$(HELD_OUT) leaves no text of $$folder for training: it needs more files, or HELD_OUT=0" >&2; exit 1; }
	if cmp -s $(OUT)/dev/texts.new $(OUT)/dev/texts; then rm $(OUT)/dev/texts.new
	else mv $(OUT)/dev/texts.new $(OUT)/dev/texts; fi
	if [ $@ -nt $< ] && cmp -s $(OUT)/texts.new $(OUT)/texts; then rm $(OUT)/texts.new; exit; fi
	rm -f $(OUT)/shards/*/texts.new
	awk -v size=$(SHARD) -v out=$(OUT)/shards '
	  NR == FNR { left++; next }
	  FNR == 1 || (FNR - 1) % size == 0 && 2 * left > size {
	    if (list) close(list)
	    folder = sprintf("%s/%09d", out, FNR - 1)
	    system("mkdir -p " folder)
	    list = folder "/texts.new"
	  }
	  { print >list; left-- }' $(OUT)/texts.new $(OUT)/texts.new
	for folder in $(OUT)/shards/*; do
	  if [ ! -e $$folder/texts.new ]; then rm -r $$folder
	  elif cmp -s $$folder/texts.new $$folder/texts; then rm $$folder/texts.new
	  else mv $$folder/texts.new $$folder/texts; fi
	done
	(cd $(OUT)/shards && echo SHARDS = *) >$@.new
	mv $@.new $@
	mv $(OUT)/texts.new $(OUT)/texts
endif

# ---- Vocabulary, unless VOCAB=FILE names one: words are counted by shard, the counts merged.

$(part)/words.tsv: $(part)/texts $(OUT)/COUNT.command
	$(read_texts)
	$(COUNT) $(threads) --counts $@ "$${texts[@]}"

ifeq ($(origin VOCAB),undefined)
VOCAB = $(OUT)/vocab/vocab.txt
words: $(call each_shard,words.tsv)
$(OUT)/vocab/learned: $(call each_shard,words.tsv) $(OUT)/LEARN.command
	find $(OUT)/shards -name words.tsv -print0 | LC_ALL=C sort -m --files0-from=- |
	  $(LEARN) --counts - --force -o $(@D)/new/
	cd $(@D)
	{ cmp -s new/vocab.txt vocab.txt && cmp -s new/tokenizer_config.json tokenizer_config.json; } ||
	  mv new/vocab.txt new/tokenizer_config.json .
	rm -r new
	touch $(@F)
$(VOCAB): $(OUT)/vocab/learned ;
endif
vocab: $(VOCAB)

# ---- Training data.

train: $(call each_shard,$(RESULT))

$(part)/sentences.jsonl: $(part)/texts $(VOCAB) $(OUT)/TOKENIZE.command
	$(read_texts)
	$(TOKENIZE) $(threads) -o $@ "$${texts[@]}"

$(part)/instances.jsonl: $(part)/sentences.jsonl $(OUT)/PAIRS.command
	$(PAIRS) $(threads) --first-record $(subst dev,0,$(notdir $*)) -o $@ $<

$(part)/train.jsonl: $(part)/instances.jsonl $(OUT)/MASK.command
	$(MASK) $(threads) -o $@ $<

# ---- With GNU parallel: each job runs make for one shard, first up to its word counts, then, with the
# ---- vocabulary, to the end. The environment variable PARALLEL holds options for GNU parallel, such as
# ---- "--jobs 4".

each_job = ls $(OUT)/shards | parallel --halt now,fail=1 $(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) \
  THREADS=1 SHARDS={}

parallel:
	@command -v parallel >/dev/null || { echo "GNU parallel is not installed" >&2; exit 1; }
	$(if $(filter file,$(origin VOCAB)),$(each_job) words; $(MAKE) -f $(firstword $(MAKEFILE_LIST)) vocab)
	$(each_job) VOCAB=$(VOCAB) train

# ---- A single run over all texts; their names must fit on one command line.

check: $(OUT)/texts $(call each_shard,train.jsonl)
	$(read_texts)
	$(if $(filter file,$(origin VOCAB)),$(LEARN) --input-format file $(READ_OPTIONS) "$${texts[@]}" | cmp - $(VOCAB))
	$(TOKENIZE) "$${texts[@]}" | $(PAIRS) | $(MASK) | cmp - <(cat $(OUT)/shards/*/train.jsonl)
	echo 'The shards equal one run.'
