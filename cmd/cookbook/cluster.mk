# Runs a filter over large files in shards, on one machine or many, and joins the results. The bytes are those of
# a single run:
#
#   make -f cluster.mk IN=corpus.jsonl OUT=vectors.jsonl FILTER='bert-embed -m model' SHARDS=1000
#   make -f cluster.mk IN='part-*.txt' OUT=ids.jsonl FILTER='bert-tokenize --drop text' HOSTS=node1,node2
#   make -f cluster.mk IN=ids.jsonl OUT=masked.jsonl FILTER=bert-mask SLURM=1 SBATCH='--cpus-per-task=16'
#
# The first runs on this machine, the second with GNU parallel on hosts that ssh reaches, the third as a Slurm
# array job. All hosts must see the same files under the same paths, tools included, and have the same
# instruction set.
#
# A shard is a range of bytes of the FILEs that ends with a record. One pass over the input, in constant memory
# and at about 500 MB/s, plans the shards. The result of a shard appears in OUT.shards when it is complete, and OUT when all are. After
# any failure, the same command continues with the missing shards. If the input, FILTER, the tools, or a file or
# directory named in FILTER has changed, all shards are run again. Messages name file and line of the original;
# OUT.shards/messages has those of all shards. A target after the variables does something else:
#
#   plan     only plans the shards: OUT.shards/plan, described in cluster.sh
#   shards   runs the shards, but does not join them: the results are OUT.shards/*/[0-9]?????, in this order
#   status   shows how many shards are finished, and why others failed
#   check    compares OUT with a single run
#   clean    deletes the results of the shards, which take as much space as OUT; OUT remains up to date
#   help     shows this text
#
# FILTER is a tool with its options, a pipeline, or a script that runs one tool. The input format and
# --first-record are added to the tools' options; a script gets the latter in $FIRST_RECORD. In a pipeline, tools
# before bert-mask and bert-nsp-pairs must write one record for each that they read, unless the records have
# `document` and `instance`. Only messages of the first tool in a pipeline name lines of the original. The
# outputs are concatenated; use --format f32 instead of npy. What summarizes the whole input, such as bert-score
# and --stats, cannot be run in shards. Neither can --context document, because shards cut documents apart.
#
# Needs GNU make 4, coreutils, findutils and sed, awk and bash. Names must not contain spaces.

ifeq ($(filter help,$(MAKECMDGOALS)),)
$(if $(IN),,$(error IN=FILE... says what to read))
$(if $(OUT),,$(error OUT=FILE says where the result goes))
$(if $(FILTER),,$(error FILTER=COMMAND says what to run))
endif

# The number of shards. A good size takes a few minutes. There may be fewer, because a shard has at least one
# record and, for bert-nsp-pairs, whole blocks of --pool documents. With tsv there may be more, because a shard
# has rows of one FILE only.
SHARDS ?= 100

# The format of the input: jsonl, text, tsv, documents or paragraphs. The default is that of --input-format in
# FILTER, or else of the suffix of the FILEs. CSV, CoNLL and SQuAD must be converted to JSONL.
FORMAT ?=

# Hosts for GNU parallel (--sshlogin), separated by commas; `:` is this machine. Set more options of GNU parallel
# in the environment variable PARALLEL. Without HOSTS, xargs is used if GNU parallel is not installed.
HOSTS ?=

# The number of shards that run at the same time: on each host, by default 1, since the tools use all cores; or
# in the Slurm array, by default as many as Slurm starts.
JOBS ?=

# The number of threads of each tool (default: all available cores).
THREADS ?=

# A prefix to the command of each shard that binds it to cores. For two NUMA nodes, with JOBS=2, on one host:
# PIN='numactl --cpunodebind=$$((PARALLEL_JOBSLOT - 1)) --localalloc'
PIN ?=

# Set SLURM=1 to use Slurm. SBATCH has options for sbatch, such as --partition, --cpus-per-task and --mem.
SLURM ?=
SBATCH ?=

# How many times to try each shard.
RETRIES ?= 3

makefile := $(lastword $(MAKEFILE_LIST))
include $(dir $(makefile))common.mk
.PHONY: join shards plan status check clean help
export IN OUT FILTER SHARDS FORMAT HOSTS JOBS THREADS PIN SLURM SBATCH RETRIES

work = $(OUT).shards
script = $(dir $(makefile))cluster.sh
cluster = sh $(script)

join: $(OUT) # the default

# These change only if their content does.
$(work)/inputs: FORCE
	@$(cluster) inputs
$(work)/cut: $(work)/inputs ;

$(work)/plan: $(work)/inputs $(work)/cut $(script)
	$(cluster) plan

$(work)/key: $(work)/plan FORCE
	@$(cluster) key

$(OUT): $(work)/key
	$(cluster) finish
	$(cluster) join

shards: $(work)/key
	$(cluster) finish

plan: $(work)/plan

status: $(work)/key
	@$(cluster) status

check: $(OUT)
	@$(cluster) check

clean: $(work)/key
	$(cluster) clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' $(makefile)
