#!/bin/sh
# cmd/playground.sh runs a command with the tools of this build, their man pages and the files of the
# examples. It then removes its folder and nothing else.
# Usage: playground.sh BUILD_DIRECTORY REPOSITORY
set -eu
cd "$2"
before=$(ls cmd/examples tests/docs/files tests/golden/models)
BUILD_DIR=$1
export BUILD_DIR
came=$(sh cmd/playground.sh 'command -v bert-embed; ls -d novels.txt bare examples; ls "${MANPATH%:}"/man7; pwd')
folder=$(echo "$came" | tail -n 1)
expected=$(printf '%s\n' "$1/cmd/bert-embed" bare examples novels.txt bert.7 "$folder")
[ "$came" = "$expected" ] || { printf 'it gave:\n%s\nexpected:\n%s\n' "$came" "$expected"; exit 1; }
[ ! -e "$folder" ] || { echo "$folder is left"; exit 1; }
[ "$(ls cmd/examples tests/docs/files tests/golden/models)" = "$before" ] || { echo "files of the project are gone"; exit 1; }
