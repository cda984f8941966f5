# A pre-training set from a folder of texts, each of which is a document:
#
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER            shard after shard, each step on all cores
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER parallel   by GNU parallel, a shard a core
#   make -f pretraining.mk TEXTS=FOLDER OUT=FOLDER check      holds the result against one run without shards
#
# The first two give the same bytes: OUT/vocab/vocab.txt and, in this order, OUT/shards/*/train.jsonl. Beside each of
# these stand the steps before it, which may be deleted. All together takes five times the space of the texts. To go on
# to a model, see model.mk.
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
LENGTH ?= 128
PAIRS_OPTIONS ?=
MASK_OPTIONS ?=
THREADS ?=

# Random sentences come from blocks of POOL documents, so a shard is several of them. A rest of at most half a shard
# joins the one before: a document alone in it would have to ask there for sentences. Of books take fewer: SHARD=64.
POOL ?= 64
SHARD ?= 256

# So many texts, or a share such as 2% but at least two of them, are held out to measure a model on (model.mk): they are
# in OUT/dev, neither in the vocabulary nor in shards. They are the first by `sort -R --random-source=/dev/zero` of the
# names below TEXTS, an order in which texts keep their places when others come or go.
HELD_OUT ?= 0

# What is made of every shard in the end.
RESULT ?= train.jsonl

COUNT = bert-vocab $(CASE) --input-format file $(READ_OPTIONS) --size 0
LEARN = bert-vocab $(CASE) $(VOCAB_OPTIONS)
tokenizer ?= --vocab $(VOCAB)
TOKENIZE = bert-tokenize $(tokenizer) --input-format file $(READ_OPTIONS) --sentences $(TOKENIZE_OPTIONS)
pairs = bert-nsp-pairs $(tokenizer) --pool $(POOL) --max-length $(1) $(PAIRS_OPTIONS)
PAIRS = $(call pairs,$(LENGTH))
MASK = bert-mask $(tokenizer) $(MASK_OPTIONS)
CUT = $(TEXTS)/$(NAMES), $(SHARD) a shard, $(POOL) a block, $(HELD_OUT) held out

SHELL = bash
.SHELLFLAGS = -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: train words vocab parallel check FORCE
MAKEFLAGS += --no-builtin-rules

threads = $(THREADS:%=-j %)
part = $(OUT)/%# shards/NUMBER, or dev with the texts held out
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
	[[ '$(HELD_OUT)' =~ ^[0-9]+%?$$ ]] || { echo "HELD_OUT=$(HELD_OUT) is no number and no share" >&2; exit 1; }
	find -L $(TEXTS) -samefile $(OUT) -prune -o -type f -size +0 -name '$(NAMES)' -printf '%s %T@ %p\n' |
	  LC_ALL=C sort -t ' ' -k 3 >$(OUT)/all
	[ -s $(OUT)/all ] || { echo "$(TEXTS) has no text $(NAMES)" >&2; exit 1; }
	mkdir -p $(OUT)/dev
	: >$(OUT)/texts.new >$(OUT)/dev/texts.new
	name='{ name = $$0; sub(/^[^ ]* [^ ]* /, "", name); name = substr(name, length("$(TEXTS:%/=%)/") + 1) }'
	LC_ALL=C awk "$$name"' { print name }' $(OUT)/all | LC_ALL=C sort -R --random-source=/dev/zero |
	  LC_ALL=C awk -v count=$(HELD_OUT) -v out=$(OUT) '
	    NR == FNR { names[NR] = $$0; next }
	    FNR == 1 {
	      if (sub(/%$$/, "", count) && (count = int(count / 100 * (NR - 1) + 0.5)) < 2) count = 2
	      for (i = 1; i <= count; i++) held[names[i]]
	    }
	    '"$$name"'
	    { print >(out (name in held ? "/dev" : "") "/texts.new") }' - $(OUT)/all
	rm $(OUT)/all
	[ -s $(OUT)/texts.new ] || { echo "HELD_OUT=$(HELD_OUT) leaves no text of $(TEXTS)" >&2; exit 1; }
	if cmp -s $(OUT)/dev/texts.new $(OUT)/dev/texts; then rm $(OUT)/dev/texts.new
	else mv $(OUT)/dev/texts.new $(OUT)/dev/texts; fi
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

$(part)/words.tsv: $(part)/texts $(OUT)/COUNT.command
	$(read_texts)
	$(COUNT) $(threads) --counts $@ "$${texts[@]}"

ifeq ($(origin VOCAB),undefined)
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

train: $(call each_shard,$(RESULT))

$(part)/sentences.jsonl: $(part)/texts $(VOCAB) $(OUT)/TOKENIZE.command
	$(read_texts)
	$(TOKENIZE) $(threads) -o $@ "$${texts[@]}"

$(part)/instances.jsonl: $(part)/sentences.jsonl $(OUT)/PAIRS.command
	$(PAIRS) $(threads) --first-record $(subst dev,0,$(notdir $*)) -o $@ $<

$(part)/train.jsonl: $(part)/instances.jsonl $(OUT)/MASK.command
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

check: $(OUT)/texts $(call each_shard,train.jsonl)
	$(read_texts)
	$(if $(filter file,$(origin VOCAB)),$(LEARN) --input-format file $(READ_OPTIONS) "$${texts[@]}" | cmp - $(VOCAB))
	$(TOKENIZE) "$${texts[@]}" | $(PAIRS) | $(MASK) | cmp - <(cat $(OUT)/shards/*/train.jsonl)
	echo 'The shards equal one run.'
