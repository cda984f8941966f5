#!/bin/sh
# Tests the installed Debian package as a user sees it: man pages, completions in three shells, the default
# model.
set -eu
cd "$(mktemp -d)"
fail() { echo "FAILED: $1"; exit 1; }

for page in 1:bert-embed 1:bert-train 5:bert-records 7:bert; do
  man "${page%%:*}" "${page#*:}" 2>/dev/null | grep -q '^NAME' || fail "man ${page#*:}"
done

came=$(echo 'She shook her [MASK].' | bert-predict --top-k 1 --drop candidates)
[ "$came" = '{"text":"She shook her [MASK].","prediction":["head"]}' ] || fail "bert-predict gave $came"
[ "$(printf 'one\ntwo\n' | bert-embed --drop text | wc -l)" = 2 ] || fail bert-embed
[ -r /usr/share/doc/bert/examples/sentiment.mk ] || fail examples

# The completions that each shell offers after "bert-embed --pool" and Tab.
offered=$(bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader bert-embed; COMP_WORDS=(bert-embed --pool)
  COMP_CWORD=1 COMP_LINE="bert-embed --pool" COMP_POINT=17
  "$(complete -p bert-embed | sed "s/.*-F \([^ ]*\).*/\1/")" bert-embed --pool bert-embed; echo "${COMPREPLY[*]}"')
[ "$offered" = --pooling ] || fail "bash completes $offered"
offered=$(fish -c 'complete -C "bert-embed --pool"' | cut -f 1)
[ "$offered" = --pooling ] || fail "fish completes $offered"
offered=$(zsh -fc 'autoload -U compinit; compinit -D; echo $_comps[bert-embed]')
[ "$offered" = _bert-embed ] || fail "zsh completes by $offered"
echo "man pages, completions and the default model of the package work"
