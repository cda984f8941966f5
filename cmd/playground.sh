#!/bin/sh
# Opens a shell in which the examples of the README and the man pages work as typed, or runs COMMAND there:
#   sh cmd/playground.sh [COMMAND]
# The tools are those of the build in $BUILD_DIR (default: build/), which is built if it does not exist. Their man
# pages and completions work, too. The shell starts in a temporary folder with example texts, small models and the
# examples; it is deleted on exit. With --fill DIRECTORY, only puts these files into DIRECTORY.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)

fill() {
  cp -R "$project/tests/docs/files/." "$1"
  LC_ALL=C awk -f "$project/tests/docs/messages.awk" </dev/null >"$1/messages.csv"
  for linked in "$project"/tests/golden/models/*/ "$project"/cmd/examples/; do
    [ ! -d "$linked" ] || ln -s "${linked%/}" "$1"
  done
}
[ "${1-}" != --fill ] || { fill "$2"; exit 0; }

cd "$project"
build=${BUILD_DIR:-build}
if [ ! -x "$build/cmd/bert-train" ]; then
  sh cmd/packages.sh
  sh cmd/build.sh "$build" -DCMAKE_BUILD_TYPE=Release
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$folder/play"
fill "$folder/play"
built=$(cd "$build" && pwd)
PATH=$built/cmd:$PATH MANPATH=$built/man:
export PATH MANPATH
unset BERT_MODEL
if [ $# -gt 0 ]; then
  cd "$folder/play"
  sh -c "$*"
  exit
fi

echo "The examples of the README and the man pages work as typed in this shell."
echo "Type exit to leave it; its folder, $folder/play, is then deleted."
cd "$folder/play"
if command -v bash >/dev/null; then
  {
    echo '[ ! -r ~/.bashrc ] || . ~/.bashrc'
    echo "PATH='$built/cmd':\$PATH"
    echo "PS1='bert \$ '"
    for file in "$built"/completions/bash/*; do echo ". '$file'"; done
  } >"$folder/bashrc"
  bash --rcfile "$folder/bashrc" -i || true
else
  "${SHELL:-sh}" -i || true
fi
