# The rules of layers.sh; reads lib/LAYERS and then the sources. `longest`: maximum lines
# per file.
function fail(message) { print message; bad = 1 }

# Whether the header is prefix.h, prefix.hpp or in the folder prefix/.
function under(header, prefix) { return index(header, prefix "/") == 1 || index(header, prefix ".") == 1 }

# First the table: a row "folder: folders | prefixes".
FILENAME == "lib/LAYERS" {
  if ($0 ~ /^(#|[ \t]*$)/) next
  if ($0 !~ /^[a-z]+:[a-z ]*\|[A-Za-z0-9_ ]*$/) { fail("lib/LAYERS:" FNR ": not a row \"folder: folders | headers\""); next }
  row = $0; folder = row; sub(/:.*/, "", folder)
  links = row; sub(/^[^:]*:/, "", links); sub(/\|.*/, "", links)
  hidden = row; sub(/^[^|]*\|/, "", hidden)
  count = split(links, names, " ")
  for (i = 1; i <= count; i++) {
    if (!(names[i] in known)) fail("lib/LAYERS:" FNR ": " folder " names " names[i] ", which no row above defines")
    allowed[folder, names[i]] = 1
    row_of[folder, names[i]] = FNR
  }
  count = split(hidden, names, " ")
  for (i = 1; i <= count; i++) owner[names[i]] = folder
  if (folder in known) fail("lib/LAYERS:" FNR ": a second row for " folder)
  known[folder] = allowed[folder, folder] = 1
  next
}

# Then the sources.
FNR == 1 {
  if (previous != "" && lines > longest) fail(previous ": " lines " lines, at most " longest)
  previous = FILENAME
  split(FILENAME, path, "/")
  folder = path[1] == "lib" || path[2] == "options" ? path[2] : path[1]
  if (!(folder in known)) fail(FILENAME ": lib/LAYERS has no row for " folder)
}
{ lines = FNR }
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  header = $0
  quoted = header ~ /include[ \t]*"/
  sub(/^[^"<]*["<]/, "", header); sub(/[">].*/, "", header)
  where = FILENAME ":" FNR ": "
  for (prefix in owner)
    if (under(header, prefix) && owner[prefix] != folder)
      fail(where "<" header "> may be included by " owner[prefix] " alone")
  first = header; sub(/\/.*/, "", first)
  if (quoted) delete row_of[folder, first]
  if (quoted && index(header, "/") == 0 && folder != "cmd") fail(where "\"" header "\" is not written from lib/")
  else if (quoted && index(header, "/") && !((folder, first) in allowed))
    fail(where folder " may not include \"" header "\"")
  else if (!quoted && first in known && index(header, "/")) fail(where "<" header "> is ours: write it in quotes")
}
END {
  if (lines > longest) fail(previous ": " lines " lines, at most " longest)
  if (!bad) for (edge in row_of) {
    split(edge, ends, SUBSEP)
    fail("lib/LAYERS:" row_of[edge] ": " ends[1] " includes nothing of " ends[2])
  }
  exit bad
}
