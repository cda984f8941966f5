#!/bin/sh
# Each --help ends with two examples and names its man page, whose EXAMPLES, which are run, have the same commands.
# Usage: help.sh TOOLS_DIRECTORY MAN_DIRECTORY TOOL...
set -u
tools=$1 man=$2
shift 2
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
failed=0
for tool; do
  page=$man/$tool.1
  "$tools/$tool" --help >"$directory/help" || failed=1
  tail -n 1 "$directory/help" | grep -q "^Manual: man $tool;" || { echo "$tool --help does not name its man page"; failed=1; }
  awk '/^Examples:$/ { inside = 1; next } inside && sub(/^    /, "")' "$directory/help" >"$directory/commands"
  [ "$(awk '/^Examples:$/ { inside = 1; next } inside && /^  [A-Z].*:$/' "$directory/help" | wc -l)" = 2 ] ||
    { echo "$tool --help has not two examples"; failed=1; }
  grep -E '.{77}' "$directory/commands" && { echo "$tool --help: the example does not fit in 80 columns"; failed=1; }
  # A line of the page is a command after "$ ", or the rest of one, and has \e for a backslash.
  awk '/^\.Sh / { inside = $2 == "EXAMPLES" } inside { sub(/^\$ /, ""); gsub(/\\e/, "\\"); print }' "$page" >"$directory/page"
  grep -vxF -f "$directory/page" "$directory/commands" >"$directory/missing" &&
    { echo "$tool.1 lacks this example of --help:"; cat "$directory/missing"; failed=1; }
done
exit $failed
