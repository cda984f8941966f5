# Splits a transcript into files below `directory`, and prints "S COMMANDS TITLE" for each section S:
#   S.text    the section as it is
#   S.head    its title and description
#   S.N.run   command N;  S.N.shown  its lines as they are shown
#   S.script  runs all commands in one shell: their output goes to S.N.out and S.N.err, their exit status to S.N.exit
function refuse(message) {
  print FILENAME ":" FNR ": " message >"/dev/stderr"
  failed = 1
  exit 1
}

function finish() {
  close(base ".text"); close(base ".head"); close(base ".script"); close(command ".run"); close(command ".shown")
  if (section && !number) refuse("a section without commands: " title)
  if (section) print section, number, title
}

/^== ./ {
  finish()
  title = substr($0, 4)
  base = directory "/" ++section
  number = open = 0
}
!section { refuse("a section begins with == TITLE") }
{ print >(base ".text") }
/^\$ ./ {
  close(command ".run"); close(command ".shown")
  command = base "." ++number
  open = 1
  # The command finds $? as the one before left it.
  printf ". %s.run >%s.out 2>%s.err\n_status=$?\necho $_status >%s.exit\n(exit $_status)\n",
    command, command, command, command >(base ".script")
}
open && !/^\$ ./ && !/^>( |$)/ { open = 0 }
open { print substr($0, 3) >(command ".run"); print >(command ".shown") }
!number { print >(base ".head") }
END { if (!failed) finish() }
