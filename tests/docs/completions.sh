#!/bin/sh
# bash, zsh and fish offer the options that --help lists, and after an option the words that --help lists as a|b|c.
# Shells that are missing are not tested; without any of them the test is skipped.
# Usage: completions.sh BUILD_DIRECTORY TOOL...
set -u
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT
shells=
for shell in bash zsh fish; do command -v $shell >/dev/null && shells="$shells $shell"; done
[ -n "$shells" ] || { echo "skipped: bash, zsh and fish are absent"; exit 77; }
failed=0

# offered SHELL TOOL WORD...: what the shell offers for the last word, sorted.
offered() {
  shell=$1 files=$build/completions/$1
  shift
  case $shell in
  bash) bash "$here/complete.bash" "$files/$1" "$@" ;;
  zsh) zsh -f "$here/complete.zsh" "$files" "$*" ;;
  fish) fish --no-config -c 'source $argv[1]; complete -C "$argv[2..]"' "$files/$1.fish" "$@" | cut -f 1 ;;
  esac | LC_ALL=C sort
}

for tool; do
  "$build/cmd/$tool" --help >"$directory/help" || { echo "$tool --help fails"; failed=1; continue; }
  sed -n 's/^ \{2,6\}\(-.*\)/\1/p' "$directory/help" | grep -oE -- '(^|, )--[a-z][a-z0-9-]*' | sed 's/^, //' |
    LC_ALL=C sort >"$directory/options"
  [ -s "$directory/options" ] || { echo "$tool: --help lists no options"; failed=1; }
  choice=$(grep -m 1 -oE -- '--[a-z0-9-]+ [a-z0-9_-]+(\|[a-z0-9_-]+)+' "$directory/help")
  words=$(echo "${choice#* }" | tr '|' '\n' | LC_ALL=C sort)
  for shell in $shells; do
    offered "$shell" "$tool" -- | diff "$directory/options" - >"$directory/difference" ||
      { echo "$tool: --help (<) and what $shell offers (>) differ:"; cat "$directory/difference"; failed=1; }
    found=$(offered "$shell" "$tool" "${choice%% *}" '')
    [ "$found" = "$words" ] || [ -z "$choice" ] ||
      { echo "$tool: after ${choice%% *}, $shell offers $found"; failed=1; }
  done
done
exit $failed
