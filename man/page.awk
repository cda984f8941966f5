# Writes a man page in mdoc: awk -f page.awk OPTIONS.MDOC GENERATED PAGE, where GENERATED is the output of
# TOOL --generate man, or, for a page without options: awk -v file=2 -f page.awk PAGE.
#
# In lines that are not mdoc macros, `x` is text to type and *X* is a placeholder.
#
# The section OPTIONS of PAGE has what the page adds to the declared options, after a comment with the name of the option
# or subsection: .\" --pooling. If the page has no text for an option, that of OPTIONS.MDOC is added.
FILENAME != previous { ++file; previous = FILENAME }
$1 == ".\\\"" { key = substr($0, 5) }
file == 1 { if ($1 != ".\\\"") common[key] = common[key] $0 "\n"; next }
file == 2 { generated[++lines] = $0; if ($1 == ".\\\"") declared[key]; next }
$1 == ".Sh" { if (options) write_options(); options = $2 == "OPTIONS" }
$1 == ".Bd" && $2 == "-literal" { literal = 1 }
$1 == ".Ed" { literal = 0 }
!options || $1 == ".Sh" { print literal ? $0 : styled($0); next }
$1 == ".\\\"" { own[key] = ""; next }
{ own[key] = own[key] $0 "\n" }
END { if (failed) exit 1 }

function write_options(i, name) {
  for (i = 1; i <= lines; i++) {
    if (index(generated[i], ".\\\" ") != 1) { print styled(generated[i]); continue }
    name = substr(generated[i], 5)
    write(name in own ? own[name] : common[name])
  }
  for (name in own) if (!(name in declared)) { print FILENAME ": there is no option " name > "/dev/stderr"; failed = 1 }
}

function write(text, count, each, i) {
  count = split(text, each, "\n")
  for (i = 1; i < count; i++) print styled(each[i])
}

function styled(line, parts, count, i, text) {
  if (index(line, ".") == 1) return line
  count = split(line, parts, "`")
  for (i = 1; i <= count; i++) {
    if (i % 2) { while (match(parts[i], /\*[^* ][^*]*\*/)) parts[i] = substr(parts[i], 1, RSTART - 1) "\\fI" substr(parts[i], RSTART + 1, RLENGTH - 2) "\\fP" substr(parts[i], RSTART + RLENGTH) }
    else { gsub(/-/, "\\-", parts[i]); parts[i] = "\\fB" parts[i] "\\fP" }
    text = text parts[i]
  }
  return text
}
