#!/bin/sh
# Usage errors are one line with exit code 2.
try() { echo "bert-score $*" >&2; bert-score "$@" </dev/null; echo "exit $?"; }
try
try --task classify
try --task perplexity
try --metric glue/sst-2
try --metric accuracy
try --metric glue/cola --task regress
try --metric glue/cola,glue/rte
try --task tag --metric f1,mcc
try --task regress --positive 1
try --task tag --top-k 3
try --task tag --mask-id 3
try --task fill --top-k 0
try --task regress --no-answer-threshold 0
try --task regress --null-scores x
try --task answer --null-scores x
try --task answer --input-format squad
try --task tag --input-format squad --gold x
try --task classify --input-format conll
try --task answer --no-answer-threshold high
try --task classify --gold missing.jsonl
try --task classify missing.jsonl
try --metric glue/xyz
try --task classify --plot c.pdf
