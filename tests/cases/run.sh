#!/bin/sh
# Runs command-line cases: transcripts NAME.case of one or more sections, which look like this:
#
#   == title
#   A description, if one is needed.
#   $ command
#   > its next line
#   what it prints on stdout
#   2> what it prints on stderr
#   exit 1
#
# A command that exits with 0 has no exit line. Output that does not end in a line end is followed by a line
# "\ no line end". There is an empty line between sections.
#
# Usage: run.sh TOOLS_DIRECTORY [NAME[/TITLE]...]
#        run.sh --accept TOOLS_DIRECTORY NAME[/TITLE]...
#
# NAME/TITLE runs only the sections whose title contains TITLE. --accept stores what the commands print; review the
# difference before committing it. Exit code 77: all sections were skipped.
#
# The commands of a section are run by one sh -u in an empty directory of their own, with empty stdin, the tools in
# $PATH, the small test models in $MODELS, and what sections share in $LIB. A command that does "exit 77" skips its
# section.
set -u
cases=$(cd "$(dirname "$0")" && pwd)
accept=no
[ "${1-}" = --accept ] && { accept=yes; shift; }
[ $# -ge 1 ] || { echo "usage: run.sh TOOLS_DIRECTORY [NAME[/TITLE]...], or run.sh --accept TOOLS_DIRECTORY NAME[/TITLE]..." >&2; exit 2; }
tools=$(cd "$1" && pwd) || exit 2
shift
[ $# -ge 1 ] || [ "$accept" = no ] || { echo "--accept wants the names of the cases" >&2; exit 2; }
[ $# -ge 1 ] || { cd "$cases" && set -- *.case; }

directory=$(mktemp -d) || exit 2
trap 'rm -rf "$directory"' EXIT

unset BERT_MODEL HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_ENDPOINT HF_TOKEN
PATH=$tools:$PATH LC_ALL=C HF_HOME=/no/cache MODELS=$(dirname "$cases")/golden/models LIB=$cases/lib
XDG_CACHE_HOME=$directory/.cache
export PATH LC_ALL MODELS LIB HF_HOME XDG_CACHE_HOME

# transcribe SECTION COMMANDS TITLE: runs a section and writes its transcript to $directory/section.
transcribe() {
  base=$directory/sections/$1
  : >"$directory/section"
  mkdir "$directory/work"
  (cd "$directory/work" && exec sh -u "$base.script") </dev/null >"$directory/said" 2>&1
  status=$?
  rm -rf "$directory/work"
  # "." shows whether the last line is complete.
  for output in "$base".*.out "$base".*.err; do echo . >>"$output"; done
  if [ "$(cat "$base".*.out "$base".*.err | tr -dc '\000' | wc -c)" -gt 0 ]; then
    echo "$name: $3: output with NUL bytes; show it with od" >&2
    return 1
  fi
  awk -v name="$name: $3" -v base="$base" -v commands="$2" -v status=$status -f "$cases/join.awk" >"$directory/section" || return
  [ ! -s "$directory/said" ] || { echo "$name: $3: when the shell ends: $(cat "$directory/said")" >&2; return 1; }
}

# run NAME TITLE: runs the sections of NAME whose title contains TITLE, and compares or stores the transcript.
run() {
  rm -rf "$directory/sections"
  mkdir "$directory/sections"
  awk -v directory="$directory/sections" -f "$cases/split.awk" "$cases/$1.case" >"$directory/list" || return 1
  sections=$(wc -l <"$directory/list") found=no failed=no
  : >"$directory/transcript"
  while read -r section commands title; do
    result=$directory/sections/$section.text
    case $title in
    *"$2"*)
      found=yes
      transcribe "$section" "$commands" "$title"
      status=$?
      if [ $status = 77 ]; then
        echo "skipped: $1: $title"
      else
        ran=yes result=$directory/section
        [ $status = 0 ] || failed=yes
        [ "$section" = "$sections" ] || echo >>"$result"
      fi
      ;;
    esac
    cat "$result" >>"$directory/transcript"
  done <"$directory/list"
  [ "$found" = yes ] || { echo "$1 has no section $2" >&2; return 1; }
  if [ "$accept$failed" = yesno ]; then
    cp "$directory/transcript" "$cases/$1.case"
  else
    diff -u --label "$1" --label "what $1 printed" "$cases/$1.case" "$directory/transcript" || failed=yes
  fi
  [ "$failed" = no ]
}

ran=no all=passed
for name; do
  name=${name%.case} wanted=
  case $name in */*) wanted=${name#*/} name=${name%%/*} ;; esac
  [ -f "$cases/$name.case" ] || { echo "no case $name" >&2; exit 2; }
  run "$name" "$wanted" || { echo "FAILED: $name"; all=failed; }
done
[ "$all" = passed ] || exit 1
[ "$ran" = yes ] || exit 77
