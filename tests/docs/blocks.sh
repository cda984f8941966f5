#!/bin/sh
# The ```sh blocks of a Markdown file: its commands are sh, each option of a tool is one of its --help, each Makefile is in
# cmd/examples and knows the variables that it gets. Blocks are run as they are, in the shell of cmd/playground.sh with
# some more files, except those whose first line begins with one in the file not-run, which has the reasons.
# Usage: blocks.sh TOOLS_DIRECTORY REPOSITORY FILE
set -u
tools=$(cd "$1" && pwd) repository=$(cd "$2" && pwd) page=$3
here=$repository/tests/docs examples=$repository/cmd/examples
directory=$(mktemp -d) || exit 2
trap 'stop_hub; rm -rf "$directory"' EXIT
mkdir "$directory/blocks" "$directory/work"
awk -v directory="$directory/blocks" '
  /^```/ { inside = $0 == "```sh"; if (inside) number++; next }
  inside { print >(directory "/" number) }' "$page"
failed=0 ran=0
names=$(cd "$tools" && find . -maxdepth 1 -type f -name "bert-*" -printf "%f|" | sed "s/|$//")
failure() { echo "FAILED: $1"; failed=1; }

# listed LINE: whether it begins as a line of the file not-run.
listed() { printf '%s\n' "$1" | awk 'NR == FNR { if ($0 != "" && !/:$/) begin[++n] = $0; next } { for (i = 1; i <= n; i++) found += index($0, begin[i]) == 1 } END { exit !found }' "$here/not-run" -; }

# check_options BLOCK: a tool and its options are the words up to the next |, ; or & or the end of the line.
check_options() {
  sed ':a; /\\$/ { N; s/\\\n/ /; ba }; s/#.*//' "$1" | tr "|;&'" '\n' | grep -oE "($names) .*" | while read -r tool arguments; do
    "$tools/$tool" --help >"$directory/help" || echo "$tool"
    for word in $arguments; do
      case $word in
      --*) grep -qwF -e "$word" "$directory/help" || echo "$tool $word" ;;
      esac
    done
  done
}

# check_variables BLOCK: a Makefile's variables are named in it or in those that it includes.
check_variables() {
  sed 's/#.*//; s/\\$//' "$1" | tr '\n' ' ' | tr '|' '\n' | sed 's/ make / \nmake /g' | grep -oE 'make .*\.mk .*' | while read -r call; do
    recipe=$(echo "$call" | grep -oE '[a-z0-9-]+\.mk' | head -n 1)
    [ -e "$examples/$recipe" ] || { echo "$recipe"; continue; }
    included=$(grep -ohE '[a-z-]+\.mk$' "$examples/$recipe" "$examples"/common.mk "$examples"/fine-tuning.mk | sort -u)
    for name in $(echo "$call" | grep -oE '(^| )[A-Z_0-9]+=' | tr -d ' ='); do
      (cd "$examples" && grep -qw "$name" "$recipe" $included) || echo "$recipe $name"
    done
  done
}

. "$here/block_files.sh"
. "$here/docs_hub.sh"
sh "$repository/cmd/playground.sh" --fill "$directory/work" || exit 2
cd "$directory/work" || exit 2
unset BERT_MODEL
block_files
PATH=$tools:$PATH
export PATH
docs_hub "$directory"
for number in $(ls "$directory/blocks" | sort -n); do
  block=$directory/blocks/$number
  first=$(head -n 1 "$block")
  sh -n "$block" || failure "$first"
  wrong=$(check_options "$block"; check_variables "$block")
  [ -z "$wrong" ] || failure "$first: there is no $wrong"
  ! listed "$first" || continue
  ran=$((ran + 1))
  sh -eu "$block" </dev/null >"$directory/came" 2>&1 || { failure "$first"; cat "$directory/came"; }
done
while read -r line; do
  case $line in '' | *:) continue ;; esac
  grep -qF -e "$line" "$repository/README.md" "$examples/README.md" || failure "not-run has '$line', which no page has"
done <"$here/not-run"
echo "$ran of $(ls "$directory/blocks" | wc -l) blocks of $page were run"
exit $failed
