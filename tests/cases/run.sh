#!/bin/sh
# Runs command-line cases. Each case is a folder with case.sh and its expected results: expected.stdout, expected.stderr
# (absent: empty) and expected.exit (absent: 0).
# Usage: run.sh TOOLS_DIRECTORY [CASE...]
#        run.sh --accept TOOLS_DIRECTORY CASE...
#
# case.sh is run by sh -u in an empty directory of its own, with the tools in $PATH, the case's folder in $CASE and the
# small test models in $MODELS. What cases share is in lib: . "$CASE/../lib/NAME.sh".
#
# --accept stores the actual results instead of comparing them; review the difference before committing it.
set -u
cases=$(cd "$(dirname "$0")" && pwd)
accept=no
[ "${1-}" = --accept ] && { accept=yes; shift; }
[ $# -ge 1 ] || { echo "usage: run.sh TOOLS_DIRECTORY [CASE...], or run.sh --accept TOOLS_DIRECTORY CASE..." >&2; exit 2; }
tools=$(cd "$1" && pwd) || exit 2
shift
[ $# -ge 1 ] || [ "$accept" = no ] || { echo "--accept wants the names of the cases" >&2; exit 2; }
[ $# -ge 1 ] || { cd "$cases" && set -- */case.sh; }

directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT

unset BERT_MODEL
PATH=$tools:$PATH LC_ALL=C MODELS=$(dirname "$cases")/golden/models
export PATH LC_ALL MODELS

# compare FILE: compares expected.FILE of the case with the actual result, or replaces it with --accept.
compare() {
  expected=$CASE/expected.$1
  if [ "$accept" = yes ]; then
    if [ "$1" = stdout ] || ! cmp -s "$directory/$1" "$directory/usual.$1"; then cp "$directory/$1" "$expected"; else rm -f "$expected"; fi
    return
  fi
  [ -e "$expected" ] || expected=$directory/usual.$1
  diff -u --label "expected $1" --label "$1 of $name" "$expected" "$directory/$1" || failed=yes
}

: >"$directory/usual.stdout"
: >"$directory/usual.stderr"
echo 0 >"$directory/usual.exit"
all=passed
for name; do
  name=${name%/case.sh}
  CASE=$cases/$name
  export CASE
  [ -f "$CASE/case.sh" ] || { echo "no case $name" >&2; exit 2; }
  mkdir "$directory/work"
  (cd "$directory/work" && exec sh -u "$CASE/case.sh") </dev/null >"$directory/stdout" 2>"$directory/stderr"
  echo $? >"$directory/exit"
  rm -rf "$directory/work"
  failed=no
  for file in stdout stderr exit; do compare "$file"; done
  [ "$failed" = no ] || { echo "FAILED: $name"; all=failed; }
done
[ "$all" = passed ]
