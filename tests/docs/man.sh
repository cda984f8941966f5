#!/bin/sh
# The man pages are valid mdoc, with their sections in the usual order.
# Usage: man.sh FOLDER, which has man1, man5 and man7
set -eu
cd "$1"
command -v mandoc >/dev/null || { echo "skipped: mandoc is absent"; exit 77; }
mandoc -T lint -W warning man[157]/*
awk '
BEGIN {
  count = split("NAME,SYNOPSIS,DESCRIPTION,OPTIONS,ENVIRONMENT,FILES,EXIT STATUS,EXAMPLES,DIAGNOSTICS,COMPATIBILITY,SEE ALSO,STANDARDS,HISTORY,AUTHORS,CAVEATS,BUGS", names, ",")
  for (i = 1; i <= count; i++) place[names[i]] = i
}
FNR == 1 { last = 0 }
$1 == ".Sh" {
  section = substr($0, 5)
  if (section in place) {
    if (place[section] < last) { print FILENAME ":" FNR ": section " section " comes too late"; bad = 1 }
    last = place[section]
  } else if (FILENAME ~ /\.1$/) { print FILENAME ":" FNR ": unusual section " section; bad = 1 }
}
END { exit bad }' man[157]/*
