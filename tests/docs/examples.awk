# Splits a text into N.command and N.output below `directory` and prints each N. A command continues after a
# line that ends in \ or |; its output ends at the next command, an empty line or a line indented less.
function finish() { command = ""; open = 0 }

{
  match($0, /^ */)
  indent = RLENGTH
  line = substr($0, indent + 1)
}
continued {
  print line >command
  continued = line ~ /[\\|]$/
  next
}
substr(line, 1, 2) == "$ " {
  finish()
  number++
  print number
  command = directory "/" number ".command"
  print substr(line, 3) >command
  continued = line ~ /[\\|]$/
  open = 1
  margin = indent
  next
}
open && (line == "" || indent < margin) { finish() }
open { print substr($0, margin + 1) >(directory "/" number ".output") }
