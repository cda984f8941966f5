#!/bin/sh
# Shared by the tests of the examples; to be sourced.
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

# block BEGINNING: prints the ```sh block of README.md whose first line begins so.
block() {
  awk -v beginning="$1" '/^```/ { first = $0 == "```sh"; on = 0; next } first { on = index($0, beginning) == 1; first = 0 } on' \
    "${examples:?}/README.md" >block
  [ -s block ] || fail "README.md has no block that begins with $1"
  cat block
}

# shards: an input, a model, and bert-embed for the blocks on shards; it notes its runs in the file ran and runs the file end.
shards() {
  ln -s "$(cd "${here:?}/../../golden/models" && pwd)/pretraining" minilm
  seq 60 | sed 's/.*/{"text":"the king has & ships"}/' >corpus.jsonl
  bert-embed -m minilm corpus.jsonl >expected
  mkdir bin
  cat >bin/bert-embed <<END
#!/bin/sh
echo "\$* \${PARALLEL_SSHHOST-}" >>$PWD/ran
[ ! -e $PWD/end ] || . $PWD/end
exec ${tools:?}/bert-embed "\$@"
END
  chmod +x bin/bert-embed
  PATH=$PWD/bin:$PATH
  block 'mkdir shards' | sed 's,l/100,l/8,' >divide
}
# ran WHAT COUNT: checks how often bert-embed has run since the last call.
ran() {
  found=$(cat ran 2>/dev/null | wc -l)
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
  rm -f ran
}
# same WHAT: checks that vectors.jsonl is that of a single run, and removes it.
same() { cmp expected vectors.jsonl || fail "$1: other bytes than a single run"; rm vectors.jsonl; }

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
