# Whether the second file matches the first; "..." in a line of the first matches any text.
function matches(line, pattern,    at, piece, first) {
  first = 1
  while ((at = index(pattern, "...")) > 0) {
    piece = substr(pattern, 1, at - 1)
    pattern = substr(pattern, at + 3)
    at = piece == "" ? 1 : index(line, piece)
    if (at == 0 || (first && at != 1)) return 0
    line = substr(line, at + length(piece))
    first = 0
  }
  if (first) return line == pattern
  return length(line) >= length(pattern) && substr(line, length(line) - length(pattern) + 1) == pattern
}

FILENAME == ARGV[1] { expected[++lines] = $0; next }
expected[FNR] == "..." { rest = 1; exit }
{ came = FNR }
FNR > lines || !matches($0, expected[FNR]) { bad = 1; exit }
END { exit bad || (!rest && came != lines && !(expected[lines] == "..." && came == lines - 1)) }
