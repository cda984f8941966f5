#!/bin/sh
# An installation below DESTDIR contains for each tool the program, its man page and three completions, and
# the tools run from there. It also contains the shared files.
# Usage: install.sh BUILD_DIRECTORY TOOL...
set -u
build=$1
shift
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
DESTDIR=$directory cmake --install "$build" --prefix /usr >"$directory/log" || { cat "$directory/log"; exit 1; }
failed=0
for tool; do
  for file in "bin/$tool" "share/man/man1/$tool.1" "share/bash-completion/completions/$tool" \
    "share/zsh/site-functions/_$tool" "share/fish/vendor_completions.d/$tool.fish"; do
    [ -f "$directory/usr/$file" ] || { echo "/usr/$file is missing"; failed=1; }
  done
  "$directory/usr/bin/$tool" --version >/dev/null || failed=1
done
for file in man/man5/bert-records.5 man/man7/bert.7; do
  [ -f "$directory/usr/share/$file" ] || { echo "/usr/share/$file is missing"; failed=1; }
done
for recipe in "$(dirname "$0")"/../../cmd/examples/*.*; do
  file=doc/bert/examples/$(basename "$recipe")
  [ -f "$directory/usr/share/$file" ] || { echo "/usr/share/$file is missing"; failed=1; }
done
for file in README.md config.json model.safetensors modules.json 1_Pooling/config.json tokenizer_config.json vocab.txt; do
  file=share/bert/default-model/$file
  [ -f "$directory/usr/$file" ] || { echo "/usr/$file is missing"; failed=1; }
done
# As the README says to make shells find an installation.
if command -v zsh >/dev/null; then
  found=$(zsh -fc 'fpath=('"$directory"'/usr/share/zsh/site-functions $fpath); autoload -U compinit; compinit -D -u; echo $_comps[bert-embed]')
  [ "$found" = _bert-embed ] || { echo "zsh completes bert-embed by \"$found\""; failed=1; }
fi
if command -v man >/dev/null; then
  MANPATH=$directory/usr/share/man: man bert-embed 2>/dev/null | grep -q '^NAME' || { echo 'man finds no bert-embed'; failed=1; }
fi
came=$(echo 'She shook her [MASK].' | env -u BERT_MODEL "$directory/usr/bin/bert-predict" --top-k 1 --drop candidates)
[ "$came" = '{"text":"She shook her [MASK].","prediction":["head"]}' ] || { echo "installed, it gave: $came"; failed=1; }
exit $failed
