# Prints what a bash completion offers, one word a line: complete.bash FILE WORD..., the last WORD being completed.
# shellcheck shell=bash
set -u
# shellcheck disable=SC1090
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
function=$(complete -p "$1")
function=${function##*-F }
"${function%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
