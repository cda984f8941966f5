#!/bin/sh
# Runs the examples of a man page (EXAMPLES) or of a Markdown file (```console blocks). Lines that begin with
# "$ " are commands; the lines below a command are its output. A command without output only has to succeed.
# "..." in an output line matches any text; as a line of its own it matches all that follows.
# Usage: examples.sh TOOLS_DIRECTORY REPOSITORY FILE
#
# Commands run one after another in the folder in which cmd/playground.sh opens a shell.
set -u
tools=$(cd "$1" && pwd) repository=$(cd "$2" && pwd) page=$3
here=$repository/tests/docs
directory=$(mktemp -d) || exit 2
. "$here/docs_hub.sh"
trap 'stop_hub; rm -rf "$directory"' EXIT

case $page in
*.md) awk '/^```/ { inside = $0 == "```console"; if (!inside) print ""; next } inside' "$page" ;;
*)
  command -v mandoc >/dev/null || { echo "skipped: mandoc is absent"; exit 77; }
  # Render the page with long lines and without overstrikes; section headings are not indented, their text is.
  mandoc -T utf8 -O width=500 "$page" | LC_ALL=C.UTF-8 sed 's/.\x08//g' |
    awk '/^[A-Z]/ { inside = $0 == "EXAMPLES"; next } inside'
  ;;
esac >"$directory/text"
awk -v directory="$directory" -f "$here/examples.awk" "$directory/text" >"$directory/list"

mkdir "$directory/work"
sh "$repository/cmd/playground.sh" --fill "$directory/work" || exit 2
cd "$directory/work" || exit 2
unset BERT_MODEL
PATH=$tools:$PATH
XDG_CACHE_HOME=$directory/.cache
export PATH XDG_CACHE_HOME
docs_hub "$directory"
failed=0 count=0
while read -r number; do
  count=$((count + 1))
  sh "$directory/$number.command" </dev/null >"$directory/came" 2>&1
  code=$?
  if [ -e "$directory/$number.output" ]; then
    awk -f "$here/match.awk" "$directory/$number.output" "$directory/came"
  else
    [ $code = 0 ]
  fi && continue
  failed=1
  printf 'FAILED: %s\nexit code %d; it gave\n' "$(cat "$directory/$number.command")" $code
  cat "$directory/came"
done <"$directory/list"
echo "$count examples of $page"
exit $failed
