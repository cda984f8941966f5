# Prints the transcript of a section from the files of split.awk. `commands` is their number, `status` the exit status of
# the shell. The last line of each S.N.out and S.N.err ends in an additional ".".
# Exits with 1 after a message on stderr if the transcript would not be clear, with 77 if a command skipped the section.
function complain(message) { print name ": command " number ": " message >"/dev/stderr"; failed = 1 }

function copy(file,    line) {
  while ((getline line <file) > 0) print line
  close(file)
}

# Prints a file with a prefix before each line.
function show(file, prefix,    line, next_line) {
  getline line <file
  while ((getline next_line <file) > 0) {
    print (last = prefix line)
    line = next_line
  }
  close(file)
  if (line == ".") return
  print prefix substr(line, 1, length(line) - 1)
  print (last = "\\ no line end")
}

# What would read as another part of a transcript is refused.
function check(file,    line, first) {
  for (first = 1; (getline line <file) > 0; first = 0)
    if (line ~ /^(\$ |== |2> |\\ no line end$)/ || (first && line ~ /^>/))
      complain("prints a line that would be read as a part of the transcript: " line)
  close(file)
}

BEGIN {
  copy(base ".head")
  for (number = 1; number <= commands; ++number) {
    command = base "." number
    copy(command ".shown")
    last = ""
    check(command ".out")
    show(command ".out", "")
    show(command ".err", "2> ")
    ended = (getline code <(command ".exit")) <= 0
    close(command ".exit")
    if (ended) code = status
    if (code != 0 || last ~ /^exit [0-9]+$/) print "exit " code
    if (ended && number < commands) {
      if (code == 77) exit 77
      complain("ends the shell, so that the commands below are not run")
      exit 1
    }
  }
  exit failed
}
