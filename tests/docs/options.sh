#!/bin/sh
# For each tool, --help, man page and the three completions list the same options, long and short, and the
# completions offer the words that --help lists as a|b|c.
# Usage: options.sh TOOLS_DIRECTORY REPOSITORY TOOL...
set -u
tools=$1 repository=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
failed=0

fail() { echo "$1"; failed=1; }

# One option per line, "-o" or "--output".
help_options() { sed -n 's/^ \{2,6\}\(-.*\)/\1/p' "$1" | grep -oE -- '(^|, )--?[a-zA-Z][a-z0-9-]*' | sed 's/^, //'; }
man_options() { awk '$1 == ".It" && $2 == "Fl" {
    for (i = 2; i <= NF; i++) {
      if ($i == "Fl") { flag = 1; continue }
      if ($i == ",") continue
      if (!flag || $i ~ /^[A-Z][a-z]$/) break
      print "-" $i
    }
    flag = 0 }' "$1"; }
zsh_options() {
  sed 's/^ *#.*//; s/^_arguments\( -[sS]\)*//; s/\[[^]]*\]//g' "$1" |
    grep -oE -- "(^|[{(,'* ])--?[a-zA-Z][a-z0-9-]*" | sed 's/^[^-]//'
}
fish_options() {
  grep -oE -- ' -l [a-z][a-z0-9-]*' "$1" | sed 's/ -l /--/'
  grep -oE -- ' -s [a-zA-Z]' "$1" | sed 's/ -s /-/'
}

# compare TOOL PLACE: $directory/options contains the options found in PLACE.
compare() {
  LC_ALL=C sort -u "$directory/options" >"$directory/sorted"
  [ "$2" = --help ] && { cp "$directory/sorted" "$directory/wanted"; return; }
  diff "$directory/wanted" "$directory/sorted" >"$directory/difference" && return
  fail "$1: the options of $2 differ from those of --help (<):"
  cat "$directory/difference"
}

for tool; do
  man=$repository/man/$tool.1
  bash=$repository/completions/bash/$tool
  zsh=$repository/completions/zsh/_$tool
  fish=$repository/completions/fish/$tool.fish
  "$tools/$tool" --help >"$directory/help" || { fail "$tool --help fails"; continue; }
  for file in "$man" "$bash" "$zsh" "$fish"; do [ -r "$file" ] || fail "$tool: $file is missing"; done
  [ "$failed" = 0 ] || continue

  help_options "$directory/help" >"$directory/options"; compare "$tool" --help
  [ -s "$directory/wanted" ] || fail "$tool: found no option in --help"
  man_options "$man" >"$directory/options"; compare "$tool" "$man"
  bash "$here/complete.bash" "$bash" "$tool" - >"$directory/options"; compare "$tool" "$bash"
  zsh_options "$zsh" >"$directory/options"; compare "$tool" "$zsh"
  fish_options "$fish" >"$directory/options"; compare "$tool" "$fish"

  # "--overflow truncate|split|error" -> "--overflow truncate split error"
  grep -oE -- '--[a-z0-9-]+ [a-z0-9_-]+(\|[a-z0-9_-]+)+' "$directory/help" | tr '|' ' ' >"$directory/choices"
  while read -r option words; do
    offered=$(bash "$here/complete.bash" "$bash" "$tool" "$option" '' | tr '\n' ' ')
    [ "$offered" = "$words " ] || fail "$tool: bash offers \"$offered\" after $option, --help says \"$words\""
    grep -qF -- "($words)" "$zsh" || fail "$tool: zsh does not offer ($words) after $option"
    grep -qE -- "-l ${option#--} .*'$words'" "$fish" || fail "$tool: fish does not offer '$words' after $option"
  done <"$directory/choices"
done
exit $failed
