#!/bin/sh
# Configures and builds the project: sh cmd/build.sh [-t TARGET]... DIRECTORY [CMAKE_OPTION...]
# On a terminal, one line shows the progress. The log goes to DIRECTORY/build.log; if the build fails, the first
# error is shown.
set -eu
cd "$(dirname "$0")/.."
targets=
while getopts t: option; do
  case $option in
  t) targets="$targets --target $OPTARG" ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
directory=$1
shift
log=$directory/build.log
jobs=$(nproc)

# Writes the output of make ("[ 42%] ...") or ninja ("[42/100] ...") to the log and shows the progress on one line.
progress() {
  terminal=
  [ ! -t 1 ] || terminal=yes
  awk -v log_file="$log" -v what="Building in $directory" -v terminal="$terminal" '
    function show(text) { if (terminal) { printf "\r%s: %s", what, text; fflush() } }
    BEGIN { if (terminal) show("configuring"); else { print what; fflush() } }
    { print > log_file }
    /^\[ *[0-9]+%\]/ { show(substr($0, 2, index($0, "%") - 1) "      ") }
    /^\[[0-9]+\/[0-9]+\]/ { split(substr($0, 2), n, "[/\\]]"); show(sprintf("%3d%%      ", 100 * n[1] / n[2])) }
    END { if (terminal) print "" }'
}

# Prints the first error of the log, with the include and instantiation lines before it and 11 lines after it.
first_error() {
  awk '
    /error:|CMake Error|undefined reference|No space left|Killed/ && !rest { rest = 12; printf "%s", lead }
    rest { print; if (--rest == 0) exit }
    { lead = /In file included from|^ +from |: In | required / ? lead $0 "\n" : "" }' "$log"
}

mkdir -p "$directory"
status=$(mktemp)
trap 'rm -f "$status"' EXIT
# $targets must be split into words.
# shellcheck disable=SC2086
{
  { cmake -S . -B "$directory" "$@" && cmake --build "$directory" --parallel "$jobs" $targets; } 2>&1 && echo built >"$status"
} | progress
[ ! -s "$status" ] || exit 0
found=$(first_error)
if [ -n "$found" ]; then echo "$found"; else tail -n 20 "$log"; fi
echo "The build failed. The full log is $log."
exit 1
