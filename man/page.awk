# Writes a man page: awk -f page.awk OPTIONS.MDOC GENERATED PAGE, where GENERATED is the output of TOOL --generate man.
#
# The section OPTIONS of PAGE has what the page adds to the declared options, after a comment with the name of the option
# or subsection: .\" --pooling. If the page has no text for an option, that of OPTIONS.MDOC is added.
FNR == 1 { ++file }
$1 == ".\\\"" { key = substr($0, 5) }
file == 1 && $1 == ".\\\"" { next }
file == 1 { common[key] = common[key] $0 "\n"; next }
file == 2 { generated[++lines] = $0; if ($1 == ".\\\"") declared[key]; next }
$1 == ".Sh" { if (options) write_options(); options = $2 == "OPTIONS" }
!options || $1 == ".Sh" { print; next }
$1 == ".\\\"" { own[key] = ""; next }
{ own[key] = own[key] $0 "\n" }
END { if (failed) exit 1 }

function write_options(i, name) {
  for (i = 1; i <= lines; i++) {
    if (index(generated[i], ".\\\" ") != 1) { print generated[i]; continue }
    name = substr(generated[i], 5)
    printf "%s", name in own ? own[name] : common[name]
  }
  for (name in own) if (!(name in declared)) { print FILENAME ": there is no option " name > "/dev/stderr"; failed = 1 }
}
