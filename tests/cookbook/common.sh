#!/bin/sh
# Shared by the cookbook tests; to be sourced.
unset MAKEFLAGS MFLAGS MAKELEVEL BERT_MODEL

# need PROGRAM...: skips the test if a program is missing.
need() {
  for program; do
    command -v "$program" >/dev/null || { echo "skipped: $program is absent"; exit 77; }
  done
}

# trace TOOLS_DIRECTORY TOOL...: from here on each tool records its runs in the file ran of this directory. A
# test may replace a tool in bin.
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

# bert-train calls gnuplot at every checkpoint. This gnuplot runs the commands in the file end, which can stop
# a run at a known checkpoint; its parent process is bert-train.
trace_checkpoints() {
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

# tried BUILD...: whether it succeeds; the test goes on if not.
tried() { ("$@") 2>/dev/null; }

# killed PROGRAM RUN BUILD...: the build, in which PROGRAM writes half of its output in its given run and then kills make and
# all that it started, as a power failure would. False if there is no such run. BUILD must run make with $start before it.
killed() {
  program=$1 run=$2
  shift 2
  : >runs
  cat >"bin/$program" <<END
#!/bin/sh
echo >>$PWD/runs
[ "\$(wc -l <$PWD/runs)" = $run ] || exec $(command -v "$program") "\$@"
$(command -v "$program") "\$@" >$PWD/output
head -c "\$((\$(wc -c <$PWD/output) / 2))" $PWD/output
kill -9 0
END
  chmod +x "bin/$program"
  (start='setsid --wait'; export start; tried "$@") || true
  rm "bin/$program"
  [ "$(wc -l <runs)" = "$run" ]
}
