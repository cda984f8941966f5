#!/bin/sh
# Checks that no page or help text has an expression that readers stumbled over. Each line of the list below is an
# extended regular expression and what to write instead.
# Usage: english.sh [REPOSITORY]
set -eu
cd "${1:-$(dirname "$0")/../..}"
words=$(mktemp)
trap 'rm -f "$words"' EXIT
grep -v '^#' >"$words" <<'LIST'
hid(e|es|ing|den) (token|word|subword|piece)s?	mask, masked token
\bsnapshots?\b	checkpoint
\bjournals?\b	training log
\bthe truth\b	gold label, reference answer
measured? on dev\b	evaluate on the dev set
\bpieces?\b	token, subword token
that becomes? windows	window, stride, overlap
\b1 long\b	unit length
norm of the gradient counts|most of the gradient	gradient clipping (max norm)
batches of a step	gradient accumulation
number of chance	random seed
learning rate (rises|falls)	learning-rate warmup, decay
inner layer	feed-forward layer
\bso many\b	N
pass(ed|ing) over\b	skip
of no matter|no matter\b	ignored
where nothing is said|if nothing is said	by default
\baloud\b|\banew\b|\blikewise\b|\btherein\b|\bthereof\b|\bwherein\b	plain words
\bgoes by\b|\bgo by\b	uses, depends on
\bstands? (for|in|before|behind|beside|there|here)\b	is, means
\bcomes? (out|of|to)\b	is written, results
\bleft aside\b|\bput aside\b	stored, ignored
\bbeyond which\b|\bwhereof\b	plain words
\bwhichever\b.*\bwhichever\b	one idea a sentence
what a test only	plain words
at hand\b	available
\bno record that is not\b	every record is invalid
\bspecials (included|left)\b	special tokens
LIST
# Names that the programs use and what reports other people's words.
exceptions='--snapshot|"piece"|SentencePiece|WordPiece|wordpieces?_|sentencepiece'
failed=0
while IFS='	' read -r pattern instead; do
  found=$(grep -nPi -- "$pattern" README.md man/*.[157] cmd/cookbook/README.md tests/README.md tests/bench/README.md \
    lib/default-model/README.md lib/default-model/EXPERIMENTS.md lib/default-vectors/README.md lib/README.md | grep -vE -- "$exceptions" || true)
  helps=$(grep -rnPi --include='*.cpp' --include='*.h' -- "\"[^\"]*($pattern)" cmd | grep -vE -- "$exceptions" || true)
  [ -z "$found$helps" ] && continue
  printf '%s\n' "$found" "$helps" | sed '/^$/d'
  echo "FAILED: write instead: $instead"
  failed=1
done <"$words"
exit $failed
