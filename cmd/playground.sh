#!/bin/sh
# Opens a shell in which the examples of the README and the man pages work as typed, or runs COMMAND there:
#   sh cmd/playground.sh [COMMAND]
# The tools, their man pages and their completions are those of the build in $BUILD_DIR (build/ by default), which is
# made if it is not there. The folder with the texts, small models and the cookbook is deleted at the end.
# With --fill DIRECTORY, only copies these things into DIRECTORY.
set -eu
project=$(cd "$(dirname "$0")/.." && pwd)

fill() {
  cp -R "$project/tests/docs/files/." "$1"
  for linked in "$project"/tests/golden/models/*/ "$project"/cmd/cookbook/; do
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
tools=$(cd "$build/cmd" && pwd)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$folder/play" "$folder/man"
fill "$folder/play"
for section in 1 5 7; do
  mkdir "$folder/man/man$section"
  cp man/*."$section" "$folder/man/man$section"
done
PATH=$tools:$PATH MANPATH=$folder/man:
export PATH MANPATH
unset BERT_MODEL
if [ $# -gt 0 ]; then
  cd "$folder/play"
  sh -c "$*"
  exit
fi

echo "In this shell the examples of the README and of the man pages work as typed."
echo "Leave it with exit; its folder, $folder/play, is deleted then."
cd "$folder/play"
if command -v bash >/dev/null; then
  {
    echo '[ ! -r ~/.bashrc ] || . ~/.bashrc'
    echo "PATH='$tools':\$PATH"
    echo "PS1='bert \$ '"
    for file in "$project"/completions/bash/*; do echo ". '$file'"; done
  } >"$folder/bashrc"
  bash --rcfile "$folder/bashrc" -i || true
else
  "${SHELL:-sh}" -i || true
fi
