# A pre-training set from a folder of texts, each of which is a document:
#
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER            shard after shard, each step on all cores
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER parallel   by GNU parallel, a shard a core
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER check      holds the result against one run without shards
#
# The first two give the same bytes: OUT/vocab/vocab.txt and, in this order, OUT/shards/*/train.jsonl. Beside each of
# these stand the steps before it, which may be deleted. All together takes five times the space of the texts.
#
# Run again, make does what became stale. A text that changed, came or went renews its shard, and those behind it where
# texts moved; a vocabulary that comes out as before renews nothing. The variables below may be set on the command line,
# which renews what depends on them. An interrupted run goes on where it stopped.
#
# Needs GNU make 4, GNU find, bash and the tools in PATH. TEXTS and OUT are without spaces, names of texts without line
# ends. The vocabulary is that of one run while there are not more different words than bert-vocab's --max-words.

$(if $(TEXTS),,$(error TEXTS=FOLDER says where the texts are))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))
NAMES ?= *.txt

# Options of the tools. READ_OPTIONS are of both that read texts, such as --invalid-utf8 replace; but a text that
# --on-error skip left out would move those behind it to other places than they have in one run.
CASE ?= --uncased
READ_OPTIONS ?=
VOCAB_OPTIONS ?= --size 30522
TOKENIZE_OPTIONS ?=
PAIRS_OPTIONS ?= --max-length 128
MASK_OPTIONS ?=
THREADS ?=

# Random sentences come from blocks of POOL documents, so a shard is several of them. A rest of at most half a shard
# joins the one before: a document alone in it would have to ask there for sentences. Of books take fewer: SHARD=64.
POOL ?= 64
SHARD ?= 256

COUNT = bert-vocab $(CASE) --input-format file $(READ_OPTIONS) --size 0
LEARN = bert-vocab $(CASE) $(VOCAB_OPTIONS)
TOKENIZE = bert-tokenize --vocab $(VOCAB) --input-format file $(READ_OPTIONS) --sentences $(TOKENIZE_OPTIONS)
PAIRS = bert-nsp-pairs --vocab $(VOCAB) --pool $(POOL) $(PAIRS_OPTIONS)
MASK = bert-mask --vocab $(VOCAB) $(MASK_OPTIONS)
CUT = $(TEXTS)/$(NAMES), $(SHARD) a shard, $(POOL) a block

SHELL = bash
.SHELLFLAGS = -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: train words vocab parallel check FORCE
MAKEFLAGS += --no-builtin-rules

threads = $(THREADS:%=-j %)
shard = $(OUT)/shards/%
each_shard = $(SHARDS:%=$(OUT)/shards/%/$(1))
# The texts of a list, the first prerequisite, as an array.
read_texts = mapfile -t texts < <(cut -d ' ' -f 3- $<)

train: # the default

# ---- A command that is not as it was makes stale what it gave.

$(OUT)/%.command: FORCE
	@mkdir -p $(OUT)
	echo '$($*)' | cmp -s - $@ || echo '$($*)' >$@

# ---- Shards are lists of "size time path", so that a list changes when a text does. Folders are named by the place of
# ---- their first text.

ifndef SHARDS
include $(OUT)/shards.mk
$(OUT)/shards.mk: $(OUT)/CUT.command FORCE
	@[ $$(($(SHARD) % $(POOL))) = 0 ] || { echo "SHARD=$(SHARD) is not a multiple of POOL=$(POOL)" >&2; exit 1; }
	find -L $(TEXTS) -samefile $(OUT) -prune -o -type f -size +0 -name '$(NAMES)' -printf '%s %T@ %p\n' |
	  LC_ALL=C sort -t ' ' -k 3 >$(OUT)/texts.new
	[ -s $(OUT)/texts.new ] || { echo "$(TEXTS) has no text $(NAMES)" >&2; exit 1; }
	if [ $@ -nt $< ] && cmp -s $(OUT)/texts.new $(OUT)/texts; then rm $(OUT)/texts.new; exit; fi
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
	mv $(OUT)/texts.new $(OUT)/texts
	(cd $(OUT)/shards && echo SHARDS = *) >$@.new
	mv $@.new $@
endif

# ---- Vocabulary, unless VOCAB=FILE names one: words are counted shard by shard, and the merged counts learned from.

$(shard)/words.tsv: $(shard)/texts $(OUT)/COUNT.command
	$(read_texts)
	$(COUNT) $(threads) --counts $@ "$${texts[@]}"

ifndef VOCAB
VOCAB = $(OUT)/vocab/vocab.txt
words: $(call each_shard,words.tsv)
$(OUT)/vocab/learned: $(call each_shard,words.tsv) $(OUT)/LEARN.command
	find $(OUT)/shards -name words.tsv -print0 | LC_ALL=C sort -m --files0-from=- |
	  $(LEARN) --counts - -o $(@D)/new/
	cd $(@D)
	{ cmp -s new/vocab.txt vocab.txt && cmp -s new/tokenizer_config.json tokenizer_config.json; } ||
	  mv new/vocab.txt new/tokenizer_config.json .
	rm -r new
	touch $(@F)
$(VOCAB): $(OUT)/vocab/learned ;
endif
vocab: $(VOCAB)

# ---- Training data.

train: $(call each_shard,train.jsonl)

$(shard)/sentences.jsonl: $(shard)/texts $(VOCAB) $(OUT)/TOKENIZE.command
	$(read_texts)
	$(TOKENIZE) $(threads) -o $@ "$${texts[@]}"

$(shard)/instances.jsonl: $(shard)/sentences.jsonl $(OUT)/PAIRS.command
	$(PAIRS) $(threads) --first-record $* -o $@ $<

$(shard)/train.jsonl: $(shard)/instances.jsonl $(OUT)/MASK.command
	$(MASK) $(threads) -o $@ $<

# ---- By GNU parallel: each job is a make of one shard, first to its words, then with the vocabulary to the end.
# ---- The variable PARALLEL holds options for it, such as "--jobs 4".

each_job = ls $(OUT)/shards | parallel --halt now,fail=1 $(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) \
  THREADS=1 SHARDS={}

parallel:
	@command -v parallel >/dev/null || { echo "GNU parallel is not installed" >&2; exit 1; }
	$(if $(filter file,$(origin VOCAB)),$(each_job) words; $(MAKE) -f $(firstword $(MAKEFILE_LIST)) vocab)
	$(each_job) VOCAB=$(VOCAB) train

# ---- One run over all texts, which has to fit on a command line.

check: $(OUT)/texts train
	$(read_texts)
	$(if $(filter file,$(origin VOCAB)),$(LEARN) --input-format file $(READ_OPTIONS) "$${texts[@]}" | cmp - $(VOCAB))
	$(TOKENIZE) "$${texts[@]}" | $(PAIRS) | $(MASK) | cmp - <(cat $(OUT)/shards/*/train.jsonl)
	echo 'The shards equal one run.'
