# What the Makefiles of this folder have in common. Each includes it before its first rule, where OUT is already set:
#
#   include $(dir $(lastword $(MAKEFILE_LIST)))common.mk

# A recipe is one script of bash, which ends with the first command that fails.
SHELL = bash
.SHELLFLAGS = -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

threads = $(THREADS:%=-j %)

# COMMAND $(into) writes the target, which appears only when it is complete: make would use half a file that a kill or
# a power failure leaves. FILE.part may stay, but nothing reads it. The tools of this project need only `-o FILE`.
# Write $$(into) in a `define` for $(eval).
into = >$@.part; sync $@.part; mv $@.part $@

# $(call quoted,TEXT) is TEXT as one word of the shell.
quoted = '$(subst ','\'',$(1))'

# $(call as_word,NAME) is a name of a column as one word of the shell. One with quotes is such a word already.
as_word = $(if $(findstring ',$(1))$(findstring ",$(1)),$(1),$(call quoted,$(1)))

# $(call require,PROGRAM...) stops make at once if a program is missing.
require = $(foreach program,$(1),$(if $(shell command -v $(program) 2>/dev/null),,$(error $(program) is not installed)))

# $(call require_files,VARIABLE...) does so if a variable names a file or folder that is missing. What is below OUT is made
# by rules.
require_files = $(foreach variable,$(1),$(foreach file,$(filter-out $(OUT)/%,$($(variable))),$(if $(or $(wildcard $(file)),$(shell test -e $(call quoted,$(file)) && echo yes)),, \
  $(error $(variable)=$($(variable)): there is no $(file)$(if $(word 2,$($(variable))),; names must not contain spaces)))))

# $(call require_columns,VARIABLE...) does so if a variable names a column that the first line of a table in TRAIN or DEV
# does not have, since the tools name their own option for it. Lines of JSON have names, too. READ_OPTIONS, such as
# --columns, may change how tables are read, so with them nothing is known.
first_line = $(shell head -n 1 $(1) | cut -c 1-80)
lacks = $(shell head -n 1 $(1) | grep -qwF -e $(call as_word,$(2)) || echo yes)
require_columns = $(if $(READ_OPTIONS),,$(foreach file,$(filter-out $(OUT)/%,$(filter %.tsv %.csv %.jsonl,$(TRAIN) $(DEV))),$(foreach variable,$(1), \
  $(if $(call lacks,$(file),$($(variable))),$(error $(file): has no column $($(variable)): set $(variable) to another one; its first line is $(call first_line,$(file)))))))

# The model that bert-predict and bert-train use by default, for recipes whose tools have different ones.
default_model = $(wildcard $(dir $(realpath $(shell command -v bert-predict)))../share/bert/default-model)

# Not empty for `make -n`, which runs recipes with the variable MAKE all the same, and for `make -s`.
flags = $(filter-out -%,$(firstword $(MAKEFLAGS)))
dry = $(findstring n,$(flags))
silent = $(findstring s,$(flags))

# OUT/NAME.command has the value of the variable NAME, and so has any file below OUT whose name ends with .NAME.command.
# What a command makes depends on this file and is rebuilt when the command changes. Half a file that a kill leaves
# differs from the command, too.
.PHONY: FORCE
command = $(call quoted,$($(lastword $(subst /, ,$(subst ., ,$*)))))
$(OUT)/%.command: FORCE
	@mkdir -p $(@D)
	printf '%s\n' $(command) | cmp -s - $@ || printf '%s\n' $(command) >$@

# $(call continue_log,RUN) is for a recipe that appends to RUN.jsonl. Without a checkpoint in RUN, the log is deleted.
# Half a line, which a kill may leave at its end, is deleted as well.
# Unless a terminal shows the progress of bert-train or make has the option -s, it says where the log is.
define continue_log
$(if $(silent),,[ -t 2 ] || echo 'training; the log is $(1).jsonl' >&2)
compgen -G '$(1)/checkpoints/step-*' >/dev/null || rm -f $(1).jsonl
[ ! -e $(1).jsonl ] || { awk '/}$$/' $(1).jsonl >$(1).jsonl.new; mv $(1).jsonl.new $(1).jsonl; }
endef
