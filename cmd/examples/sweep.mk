# Fine-tunes a model with every combination of settings (Devlin et al. 2018, appendix A.3), and keeps the model
# with the best result on DEV:
#
#   make -j 4 -f sweep.mk MODEL=DIR TASK=classify TRAIN=train.tsv DEV=dev.tsv OUT=FOLDER
#
# OUT/best is the best model. OUT/table.tsv has a line for each setting, best first: the mean and the standard
# deviation of METRIC over the seeds, and the best value. OUT/runs/*.jsonl are the training logs.
#
# `make ... halving` trains all settings with the first number of EPOCHS, the better half of them with the second, half
# of these with the third, and so on (successive halving, Jamieson and Talwalkar 2016): for EPOCHS='1 2 4', less than
# half of the time.
#
# `-j N` trains N models at a time and divides the cores among them. When run again, finished runs are skipped
# and interrupted ones continue, with the same results. Settings can be added: the table and OUT/best consider
# all finished runs in OUT. When data, model or other options change, all runs are repeated. If a run fails,
# for example because it diverges, use `make -k` to train the others.
#
# The variables below can be set on the command line. Needs GNU make 4, bash, flock and the tools in PATH.
# File names must not contain spaces.

$(if $(TASK),,$(error TASK=NAME says what to train for: classify, regress, multilabel, tag, answer, choose or embed))
$(if $(TRAIN),,$(error TRAIN=FILE says what to learn from))
$(if $(DEV),,$(error DEV=FILE says what to measure on))
$(if $(OUT),,$(error OUT=FOLDER says where the result goes))

# The model to start from; if empty, bert-train uses the default model.
MODEL ?= $(BERT_MODEL)

# The grid of the paper. It suits BERT-base and BERT-large; smaller models need higher rates, such as
# RATES='3e-4 1e-4 5e-5'. Results on small data sets vary: use several seeds, such as SEEDS='1 2 3 4 5'.
BATCH_SIZES ?= 16 32
RATES ?= 5e-5 3e-5 2e-5
EPOCHS ?= 2 3 4
SEEDS ?= 1

# The metric to compare, as in the training log without "dev_": the highest is the best; of a loss, the lowest. An
# undefined correlation counts as 0.
METRIC ?= $(or $(metric.$(TASK)),accuracy)
metric.regress = spearman
metric.multilabel = micro_f1
metric.tag = f1
metric.answer = f1
metric.embed = spearman

# KEEP=all keeps the models of all runs, as OUT/runs/NAME.
KEEP ?= best

# Input options, such as --text-field sentence, and more options of bert-train, such as --max-length 128.
INPUT ?=
TRAIN_OPTIONS ?=

# Threads of each run; if empty, the number of cores divided by that of `-j`.
THREADS ?=

LEARN = bert-train --task $(TASK) $(MODEL:%=--model %) $(INPUT) $(TRAIN_OPTIONS) --dev $(DEV) $(TRAIN)
# All runs are repeated when this changes.
SETTINGS = $(LEARN), the best $(METRIC)

include $(dir $(lastword $(MAKEFILE_LIST)))common.mk
.PHONY: sweep halving
$(call require,flock)

runs = $(OUT)/runs
# The order of `sort`, the best value first.
order = $(if $(filter loss %_loss,$(METRIC)),g,gr)
# Those of a round of halving, or the whole grid.
points := $(or $(POINTS),$(foreach b,$(BATCH_SIZES),$(foreach r,$(RATES),$(foreach e,$(EPOCHS),$(foreach s,$(SEEDS), \
  batch$(b)_rate$(r)_epochs$(e)_seed$(s))))))
setting = $(patsubst $(1)%,%,$(filter $(1)%,$(subst _, ,$*)))
jobs = $(or $(patsubst -j%,%,$(firstword $(filter -j%,$(MAKEFLAGS)))),1)
# The name of each run that begins is shown, unless make has the option -s.
say = $(if $(silent),,echo $*)
threads = -j $(or $(THREADS),$$(( $$(nproc) / $(jobs) ? $$(nproc) / $(jobs) : 1 )))

sweep: $(OUT)/table.tsv # the default
	@expand -t 12 $<
	read -r value name <$(OUT)/best.tsv
	[ -e $(OUT)/best/config.json ] || { echo "$(OUT)/best was deleted: train $$name again" >&2; exit 1; }
	echo "best: $(OUT)/best, $$name, dev $(METRIC) $$value"

# The mean over the seeds decides; ties go to the first name in byte order.
halving:
	@settings='$(foreach b,$(BATCH_SIZES),$(foreach r,$(RATES),batch$(b)_rate$(r)))'
	for epochs in $(EPOCHS); do
	  points=
	  for setting in $$settings; do
	    for seed in $(SEEDS); do points+=" $${setting}_epochs$${epochs}_seed$$seed"; done
	  done
	  $(MAKE) -f $(firstword $(MAKEFILE_LIST)) POINTS="$$points" sweep
	  [ -z '$(dry)' ] || exit 0
	  settings=$$(for point in $$points; do echo "$${point%%_epochs*} $$(<$(runs)/$$point.score)"; done |
	    awk '{ sum[$$1] += $$2; count[$$1]++ } END { for (s in sum) printf "%.9f\t%s\n", sum[s] / count[s], s }' |
	    LC_ALL=C sort -t $$'\t' -k 1,1$(order) -k 2,2 |
	    awk '{ setting[NR] = $$2 } END { for (i = 1; i <= (NR + 1) / 2; i++) print setting[i] }')
	done

$(if $(filter $(abspath $(OUT)/best),$(abspath $(MODEL))),$(error MODEL=$(MODEL) would be replaced: set another OUT))
$(call require_files,TRAIN DEV MODEL)
$(OUT)/runs.begun: $(TRAIN) $(DEV) $(wildcard $(MODEL:%=%/*.*)) $(OUT)/SETTINGS.command
	rm -rf $(runs) $(OUT)/best $(OUT)/best.tsv
	mkdir -p $(runs)
	touch $@

# Repeat the best run if its model was deleted.
$(if $(wildcard $(OUT)/best/config.json),,$(shell cut -f 2 $(OUT)/best.tsv 2>/dev/null | \
  sed 's|.*|$(runs)/&.score|' | xargs -r rm -f))

# Signals to make reach bert-train, which then saves a checkpoint, with which the run continues. The score is
# the value of METRIC in the last evaluation. After a kill, some steps run and are logged twice: keep only the
# last copy of each line. With the lock, remove all models except the best of all finished runs. All this is
# one recipe, since `make -j` would otherwise train all models before it scores the first.
$(runs)/%.score: $(OUT)/runs.begun
	@$(say)
	$(call continue_log,$(runs)/$*)
	$(LEARN) --batch-size $(call setting,batch) --lr $(call setting,rate) --epochs $(call setting,epochs) \
	  --seed $(call setting,seed) $(threads) --out $(runs)/$* --resume --force >>$(runs)/$*.jsonl & learner=$$!
	stopped=
	trap 'stopped=1; kill -TERM $$learner' HUP INT TERM
	wait $$learner || { [ -z "$$stopped" ] || wait $$learner || true; exit 1; }
	trap - HUP INT TERM
	tac $(runs)/$*.jsonl | awk -F '[:,]' '!told[$$2, $$3 ~ /dev_/]++' | tac >$(runs)/$*.jsonl.new
	mv $(runs)/$*.jsonl.new $(runs)/$*.jsonl
	value=$$(sed -n '/"dev_loss":/h; $$ { x; s/.*"dev_$(METRIC)":\([^,}]*\).*/\1/p }' $(runs)/$*.jsonl)
	case $${value:-$(METRIC)} in
	  pearson | spearman) value=0 ;;
	  $(METRIC)) echo "$(runs)/$*.jsonl: the training log has no dev_$(METRIC)" >&2; exit 1 ;;
	esac
	exec 9>$(OUT)/lock
	flock 9
	echo "$$value" $(into)
	$(choose_best)

# Ties go to the first name in byte order. OUT/best is a link, replaced in one step, before other models are removed.
define choose_best
best=$$(cd $(runs) && awk '{ sub(/\.score$$/, "", FILENAME); print $$1 "\t" FILENAME }' *.score |
  LC_ALL=C sort -t $$'\t' -k 1,1$(order) -k 2,2 | sed 1q)
ln -sfn "runs/$${best#*$$'\t'}" $(OUT)/best.new
mv -T $(OUT)/best.new $(OUT)/best
if ! echo "$$best" | cmp -s - $(OUT)/best.tsv; then
  echo "$$best" >$(OUT)/best.tsv.new
  mv $(OUT)/best.tsv.new $(OUT)/best.tsv
fi
for other in $(runs)/*.score; do
  other=$${other%.score}
  rm -rf "$$other/checkpoints"
  [ $(KEEP) = all ] || [ "$$other" = "$(runs)/$${best#*$$'\t'}" ] || rm -rf "$$other"
done
endef

$(OUT)/table.tsv: $(points:%=$(runs)/%.score)
	@exec 9>$(OUT)/lock
	flock 9
	$(choose_best)
	cd $(runs) && awk -v lower=$(if $(filter g,$(order)),1,0) '
	  BEGIN { print "mean\tdeviation\tbest\truns\tbatch_size\tlr\tepochs" }
	  {
	    split(FILENAME, part, "_")
	    key = substr(part[1], 6) "\t" substr(part[2], 5) "\t" substr(part[3], 7)
	    values = ++count[key]
	    value[key, values] = $$1
	    sum[key] += $$1
	    if (values == 1 || (lower ? $$1 < best[key] : $$1 > best[key])) best[key] = $$1
	  }
	  END {
	    for (key in count) {
	      mean = sum[key] / count[key]
	      square = 0
	      for (i = 1; i <= count[key]; i++) square += (value[key, i] - mean) ^ 2
	      deviation = count[key] > 1 ? sprintf("%.4f", sqrt(square / (count[key] - 1))) : "-"
	      printf "%.4f\t%s\t%.4f\t%d\t%s\n", mean, deviation, best[key], count[key], key
	    }
	  }' *.score >../table.new
	cd ..
	{ sed 1q table.new; sed 1d table.new | LC_ALL=C sort -t $$'\t' -k 1,1$(order) -k 3,3$(order) -k 5; } >table.tsv.new
	rm table.new
	mv table.tsv.new table.tsv
