#!/bin/sh
# What cmd/try.sh shows is as it says: the probable word is one to drink, the related line is nearer than the other, and
# only the second pair is no pair.
# Usage: try.sh BUILD_DIRECTORY REPOSITORY
set -eu
shown=$(BUILD_DIR=$1 sh "$2/cmd/try.sh" --built)
fail() { printf '%s\nFAILED: %s\n' "$shown" "$1"; exit 1; }
echo "$shown" | grep -q '"prediction":\["coffee"\]' || fail 'the masked word'
echo "$shown" | awk -F '\t' '/^-?[0-9]\.[0-9][0-9]\t/ { n++; value[n] = $1 }
  END { exit !(n == 3 && value[1] == 1 && value[2] > 0.5 && value[3] < 0.3) }' || fail 'the related line is not clearly nearer'
[ "$(echo "$shown" | grep -o '"prediction":"[a-z_]*"' | paste -s -d ' ')" = '"prediction":"is_next" "prediction":"not_next"' ] ||
  fail 'the pairs'
