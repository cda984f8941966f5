#!/bin/sh
# What the tests of the cookbook have in common; to be sourced.
unset MAKEFLAGS MFLAGS MAKELEVEL BERT_MODEL

# need PROGRAM...: else the test is skipped.
need() {
  for program; do
    command -v "$program" >/dev/null || { echo "skipped: $program is absent"; exit 77; }
  done
}

# trace TOOLS_DIRECTORY TOOL...: in this directory, each tool from here on writes down in ran that it ran. A test may put
# another one in its place in bin.
trace() {
  from=$1
  shift
  mkdir bin
  for tool; do
    printf '#!/bin/sh\necho bert-%s >>%s/ran\nexec %s/bert-%s "$@"\n' "$tool" "$PWD" "$from" "$tool" >"bin/bert-$tool"
  done
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
}

# bert-train calls gnuplot at every snapshot; this one runs the commands in the file end, which can so end a run at a
# snapshot that is known: its parent is bert-train.
trace_snapshots() {
  cat >bin/gnuplot <<END
#!/bin/sh
[ "\$1" = --version ] && { echo gnuplot 5; exit; }
cat >script
[ ! -e $PWD/end ] || . $PWD/end
echo '<svg></svg>'
END
  chmod +x bin/gnuplot
}

fail() { echo "FAILED: $1" >&2; cat log >&2; exit 1; }
