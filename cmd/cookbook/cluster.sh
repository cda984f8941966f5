#!/bin/sh
# The commands of cluster.mk, which describes how to use it. They work in OUT.shards:
#
#   inputs   a line for each FILE: size, time of change, path
#   plan     a line for each range of bytes, separated by tabs: shard, first byte (from 0), bytes, first line
#            (from 1), lines, first record (from 0 over all FILEs), path
#   KEY/     the results of these shards, and with the suffix .log the messages of each
#
# KEY is a checksum of everything that the results depend on. If a job of an earlier run is still alive
# somewhere, it writes into another directory. KEY also contains what a worker needs: `run`, which is a copy of
# this script, its settings and the plan.
set -eu
tab='	'

fail() { echo "cluster: $*" >&2; exit 1; }

# ---- What the words of FILTER say.

# option NAME: prints the value of the option in FILTER, or nothing.
option() {
  printf '%s\n' "$FILTER" | sed -nE "s/.*[ ]$1[ =]+([^ |;)]*).*/\1/p" | tr -d "'\""
}

# Whether FILTER has the text.
has() { case " $FILTER " in *"$1"*) ;; *) return 1 ;; esac; }

tools='(^|[ /(|;&])(bert-(tokenize|embed|predict|mask|nsp-pairs|vocab))($|[ ])'
first_tool() { printf '%s\n' "$FILTER" | grep -oE "$tools" | sed -n '1s/^[^b]*//; s/ $//; 1p'; }

format() {
  [ -z "$FORMAT" ] || { echo "$FORMAT"; return; }
  named=$(option --input-format)
  case ${named:-auto} in auto) ;; *) echo "$named"; return ;; esac
  if has ' --columns'; then echo tsv; return; fi
  sed 's/.*\.//; s/^json$/jsonl/; s/^txt$/text/' "$work/inputs" | sort -u | paste -s -d ' '
}

# The number of documents in a block. bert-nsp-pairs takes random sentences from the same block, so a shard
# consists of whole blocks.
pool() {
  has bert-nsp-pairs || { echo 1; return; }
  named=$(option --pool)
  echo "${named:-64}"
}

# ---- The inputs and the plan.

# replace FILE: replaces FILE by standard input if they differ.
replace() {
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

state_of() { xargs -0 stat -L -c '%s %.9Y %n' --; }

# IN is split into words, and patterns are expanded.
# shellcheck disable=SC2086
inputs() {
  case $(option --format) in
  npy | npy-f16) fail "files of --format npy and npy-f16 cannot be joined; use --format f32" ;;
  esac
  if has ' --stats' || has bert-score; then fail "a summary of the whole input cannot be made in shards"; fi
  if printf '%s\n' "$FILTER" | grep -qE -e "--context['\"]?[[:space:]=]+['\"]?document"; then
    fail "--context document cannot be used in shards, which cut documents apart"
  fi
  if has ' -o ' || has ' --out ' || has ' --output '; then
    [ -z "$(first_tool)" ] || fail "OUT says where the result goes, not an option in FILTER"
  fi
  mkdir -p "$work"
  export LC_ALL=C
  for file in $IN; do
    [ -f "$file" ] && [ -r "$file" ] || fail "$file: is not a file that can be read"
    [ "$file" != "$OUT" ] || fail "$file: is OUT and cannot be read as well"
    case $file in *"$tab"*) fail "$file: the name contains a tab" ;; esac
  done
  printf '%s\0' $IN | state_of | replace "$work/inputs"
  { format; pool; echo "$SHARDS"; has ' --columns' || echo header; } | replace "$work/cut"
}

# One pass over all FILEs in constant memory. A shard begins at the first suitable line at or after its share of
# the bytes.
plan() {
  format=$(format) pool=$(pool)
  case $format in
  jsonl | text | tsv | documents | paragraphs) ;;
  csv | conll | squad | file) fail "input of format $format cannot be divided; convert it to JSONL" ;;
  *) fail "the format of the input is not known; set FORMAT=jsonl, text, tsv, documents or paragraphs" ;;
  esac
  case $SHARDS in '' | 0* | *[!0-9]*) fail "SHARDS=$SHARDS is not a number" ;; esac
  LC_ALL=C awk -v inputs="$work/inputs" -v format="$format" -v pool="$pool" -v shards="$SHARDS" \
    -v header="$(if [ "$format" = tsv ] && ! has ' --columns'; then echo 1; fi)" '
    BEGIN {
      while ((getline path < inputs) > 0) {
        size = path
        sub(/ .*/, "", size)
        sub(/^[^ ]* [^ ]* /, "", path)
        if (first_path == "") first_path = path
        at = path ~ /^\// ? path : "./" path
        path_of[at] = path
        size_of[at] = size + 0
        total += size
        if (size > 0) ARGV[ARGC++] = at
      }
      is_alone = format == "tsv"                             # a shard has rows of one FILE only
      is_line = format == "text" || format == "tsv"
      has_blank_ends = format == "documents" || format == "paragraphs"
    }
    # Notes the range from `begin` to `offset`, which ends with this line.
    function end_range(line) {
      if (offset > begin)
        range[++ranges] = sprintf("%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%s", begin, offset - begin, begin_line,
          line - begin_line + 1, begin_record, path_of[file])
      begin = offset
      begin_line = line + 1
      begin_record = records
    }
    function print_shard(i) {
      for (i = 1; i <= ranges; i++) printf "%06d\t%s\n", shard, range[i]
      ranges = 0
    }
    function begin_shard() {
      end_range(FNR - 1)
      if (ranges) print_shard()
      shard++
      shard_record = records
      next_cut = total * (int((before + offset) * shards / total) + 1) / shards - before
    }
    function end_file(all_lines) {
      if (file == "") return
      if (offset == size_of[file] + 1) offset--               # no newline at its end
      if (offset != size_of[file]) {
        print "cluster: " path_of[file] ": has changed while it was read" >"/dev/stderr"
        exit failed = 1
      }
      end_range(all_lines - lines_before)
      lines_before = all_lines
      before += offset
      next_cut -= offset
    }
    FNR == 1 {
      end_file(NR - 1)
      file = FILENAME
      begin = offset = 0
      begin_line = 1
      begin_record = records
      after_blank = 1
    }
    NR == 1 || FNR == 1 && is_alone { begin_shard() }
    # A byte order mark is dropped at the start of a FILE only.
    offset >= next_cut && records % pool == 0 && after_blank && (FNR == 1 || !/^\357\273\277/) {
      begin_shard()
    }
    { offset += length($0) + 1 }
    FNR == 1 {
      if (header) next
      if (sub(/^\357\273\277/, "") && $0 == "" && size_of[file] == 3) next
    }
    is_line { records++; next }
    # JSONL: each line that is not blank. Otherwise the first line after a blank one.
    !/[^ \t\r\013\014]/ { after_blank = 1; next }
    after_blank { records++; after_blank = !has_blank_ends }
    END {
      if (failed) exit 1
      end_file(NR)
      if (failed) exit 1
      if (!ranges && !shard) { shard = 1; range[ranges = 1] = "0\t0\t1\t0\t0\t" first_path }
      if (pool > 1 && shard > 1 && records - shard_record == 1) shard--    # it needs the documents before it
      print_shard()
    }' </dev/null >"$work/plan.new"
  mv "$work/plan.new" "$work/plan"
}

# reading FILES: prints FILTER with the input format and FILEs for the first tool.
reading() {
  named="--input-format $(format) "
  if has ' --input-format' || has ' --columns'; then named=; fi
  printf '%s\n' "$FILTER" | sed -E "s#$tools#\1\2 $named$1\4#"
}

# ---- The key, and what a worker needs.

# The state of the tools and of the files and directories that FILTER names.
named_files() {
  set -f
  for word in $FILTER ${BERT_MODEL:+"$BERT_MODEL"}; do
    case $word in *bert-*) command -v -- "$word" || true ;; esac
    case $word in . | .. | /) continue ;; esac
    if [ -e "$word" ]; then echo "$word"; fi
  done | sort -u | while read -r path; do find -L "$path" -maxdepth 2 -type f -printf '%s %T@ %p\n'; done | sort
  set +f
}

quoted() { printf '%s=' "$1"; printf '%s\n' "$2" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"; }

key() {
  sum=$({ printf '%s\n' "$FILTER" "${BERT_MODEL-}"; named_files; cat "$work/cut" "$work/inputs" "$work/plan"; } |
    sha256sum | cut -c -16)
  mkdir -p "$work/$sum"
  cp "$work/inputs" "$work/plan" "$work/$sum"
  cp "$0" "$work/$sum/run.new"
  mv "$work/$sum/run.new" "$work/$sum/run"
  format=$(format) tool=$(first_tool)
  command=$FILTER
  if [ -n "$tool" ]; then
    command=$(reading "")
    [ -z "$THREADS" ] || command=$(printf '%s\n' "$command" | sed -E "s#$tools#\1\2 -j $THREADS\4#g")
    has ' --first-record' ||
      command=$(printf '%s\n' "$command" |
        sed -E 's#(^|[ /(|;&])(bert-(embed|mask|nsp-pairs))($|[ ])#\1\2 --first-record $FIRST_RECORD\4#g')
  else
    tool='bert-[a-z-]*'    # FILTER is a script
  fi
  {
    quoted directory "$PWD"
    quoted PATH "$PATH"
    [ -z "${BERT_MODEL-}" ] || { quoted BERT_MODEL "$BERT_MODEL"; echo "export BERT_MODEL"; }
    quoted tool "$tool"
    quoted header "$(if [ "$format" = tsv ] && ! has ' --columns'; then echo 1; fi)"
    quoted gap "$(case $format in documents | paragraphs) echo 1 ;; esac)"
    quoted pin "$PIN"
    quoted command "$command"
  } | replace "$work/$sum/settings"
  echo "$sum" | replace "$work/key"
}

# ---- On a worker: one shard.

ranges_of() { awk -F '\t' -v shard="$1" '$1 == shard { print; found = 1; next } found { exit }' "$here/plan"; }

# Writes the input of a shard. FILEs are joined as the tools would: a last line may lack its newline, a byte
# order mark is dropped, and the end of a FILE ends a document or paragraph, for which a blank line is added.
feed() {
  before=
  ranges_of "$1" | while IFS=$tab read -r _ first bytes _ _ _ file; do
    if [ -z "$before" ]; then
      [ -z "$header" ] || [ "$first" = 0 ] || head -n 1 -- "$file"
    elif [ "$first" = 0 ]; then
      [ -z "$(tail -c 1 -- "$before" | tr '\0' 0)" ] || echo
      [ -z "$gap" ] || echo
      if [ "$(head -c 3 -- "$file" | od -An -tx1)" = " ef bb bf" ]; then first=3 bytes=$((bytes - 3)); fi
    fi
    dd if="$file" bs=1M iflag=skip_bytes,count_bytes skip="$first" count="$bytes" status=none || exit 1
    before=$file
  done
}

# Replaces `-:LINE` in messages of the first tool by file and line of the original.
located() {
  ranges_of "$1" | LC_ALL=C awk -F '\t' -v tool="$tool" -v header="$header" -v gap="$gap" '
    NR == FNR {
      if (gap && count && $2 == 0) lines[count]++
      count++
      first[count] = $4
      lines[count] = $5
      path[count] = $7
      next
    }
    FNR == 1 && header && first[1] > 1 { first[1]--; lines[1]++; repeated = 1 }
    match($0, "^" tool ": -:") {
      name = substr($0, 1, RLENGTH - 2)
      line = rest = substr($0, RLENGTH + 1)
      sub(/[^0-9].*/, "", line)
      sub(/^[0-9]*/, "", rest)
      if (line == "") { print name path[1] ":" rest; next }
      left = line + 0
      for (i = 1; i < count && left > lines[i]; i++) left -= lines[i]
      original = repeated && left == 1 && i == 1 ? 1 : first[i] + left - 1
      printf "%s%s:%.0f%s\n", name, path[i], original, rest
      next
    }
    { print }' - "$2"
}

# Whether the FILEs of a shard are those of the plan.
unchanged() {
  ranges_of "$1" | cut -f 7 | tr '\n' '\0' | state_of >"$2" && [ -z "$(grep -Fxv -f "$here/inputs" "$2")" ]
}

# Runs the filter on a shard, unless that is finished. The result appears when it is complete.
# shellcheck disable=SC2016,SC2034,SC2154  # `script` is for eval; `pin`, `command` and `tool` are settings
run() {
  shard=$1
  [ ! -e "$here/$shard" ] || return 0
  part=$here/$shard.part.$(uname -n).$$
  FIRST_RECORD=$(ranges_of "$shard" | sed -n 1p | cut -f 6)
  export FIRST_RECORD
  code=0
  script='sh "$0" feed "$1" | '$command
  eval "$pin"' bash -o pipefail -c "$script" "$0" "$shard"' >"$part" 2>"$part.err" </dev/null || code=$?
  if ! unchanged "$shard" "$part.state"; then
    echo "cluster: the input has changed" >>"$part.err"
    code=1
  fi
  [ $code = 0 ] || [ -s "$part.err" ] || echo "cluster: shard $shard failed with exit code $code" >"$part.err"
  located "$shard" "$part.err" >"$part.log"
  if [ -s "$part.log" ]; then mv "$part.log" "$here/$shard.log"; else rm -f "$here/$shard.log" "$part.log"; fi
  if [ $code = 0 ]; then
    sync "$part"
    mv "$part" "$here/$shard"
  fi
  rm -f "$part" "$part.err" "$part.state"
  return $code
}

# array TASK TASKS: runs every TASKS-th shard of the list `todo`, the first ones starting at TASK.
array() {
  code=0
  for next in $(awk -v task="$1" -v tasks="$2" 'NR % tasks == task % tasks' "$here/todo"); do
    run "$next" || code=1
  done
  return $code
}

# ---- All shards.

shards() { cut -f 1 "$here/plan" | uniq; }

# Lists the shards that are not finished.
todo() { shards | while read -r shard; do [ -e "$here/$shard" ] || echo "$shard"; done; }

with_parallel() {
  todo | parallel ${HOSTS:+--sshlogin "$HOSTS"} --jobs "${JOBS:-1}" --retries "$RETRIES" --halt soon,fail=10 \
    sh "'$here/run'" run || true
}

with_xargs() {
  [ -z "$HOSTS" ] || fail "GNU parallel is not installed"
  for _ in $(seq "$RETRIES"); do
    todo | xargs -r -n 1 -P "${JOBS:-1}" sh "$here/run" run || true
  done
}

# Waits for the array job of this key, if there is one, which may be that of an earlier run.
wait_for_array() {
  pause=1
  while running=$(squeue --noheader --name "$job" --format %i) || running=unknown; [ -n "$running" ]; do
    sleep $pause
    [ $pause -ge 30 ] || pause=$((pause + 1))
  done
}

with_slurm() {
  command -v sbatch >/dev/null || fail "Slurm's sbatch is not installed"
  job=bert-$(basename "$here")
  most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
  wait_for_array
  for attempt in $(seq "$RETRIES"); do
    todo >"$here/todo"
    tasks=$(wc -l <"$here/todo")
    [ "$tasks" -gt 0 ] || return 0
    [ "$tasks" -lt "$most" ] || tasks=$((most - 1))
    echo "cluster: attempt $attempt: Slurm job $job with $tasks tasks; to stop it: scancel --name $job" >&2
    # shellcheck disable=SC2086  # SBATCH is a list of options
    sbatch --quiet --job-name "$job" --array "1-$tasks${JOBS:+%$JOBS}" --requeue --output "$here/slurm-%a.log" \
      $SBATCH --wrap "sh '$here/run' array \$SLURM_ARRAY_TASK_ID $tasks" >/dev/null || fail "sbatch failed"
    wait_for_array
  done
}

finish() {
  if [ -n "$SLURM" ]; then
    with_slurm
  elif command -v parallel >/dev/null; then
    with_parallel
  else
    with_xargs
  fi
  missing=$(todo | wc -l)
  if [ "$missing" = 0 ]; then
    for other in "$work"/????????????????/; do
      [ "$other" = "$here/" ] || rm -rf "$other"
    done
    return
  fi
  todo | while read -r shard; do
    if [ -s "$here/$shard.log" ]; then tail -n 3 "$here/$shard.log"; fi
  done | awk '!told[$0]++' | head -n 20 >&2
  fail "$missing of $(shards | wc -l) shards are not finished; to continue, run the same command again"
}

# Concatenates the results. Tables have a header line, which must be the same in all shards.
join() {
  cd "$here"
  rm -f ./*.part.*
  if { has bert-tokenize || has bert-predict || has ' --keep'; } && has ' --format' &&
    { [ "$(option --format)" = tsv ] || [ "$(option --format)" = csv ]; }; then
    shards | xargs head -qn 1 | awk '!seen[$0]++' >header
    [ "$(wc -l <header)" -le 1 ] || fail "the tables of the shards have different columns; --keep selects them"
    { cat header; shards | xargs -n 1 tail -n +2; } >joined
    rm header
  else
    shards | xargs cat >joined
  fi
  shards | sed 's/$/.log/' | xargs cat 2>/dev/null >messages || true
  cd "$directory"
  sync "$here/joined"
  mv "$here/joined" "$OUT"
  mv "$here/messages" "$work/messages"
  [ -s "$work/messages" ] || return 0
  {
    awk 'NR <= 10' "$work/messages"
    [ "$(wc -l <"$work/messages")" -le 10 ] || echo "cluster: more messages: $work/messages"
    awk '/: [0-9]* records? skipped$/ { n += $2 }
      END { if (n) print "cluster: " n " record" (n > 1 ? "s" : "") " skipped in total" }' "$work/messages"
  } >&2
}

status() {
  finished=$(($(shards | wc -l) - $(todo | wc -l)))
  echo "$finished of $(shards | wc -l) shards are finished"
  todo | while read -r shard; do
    if [ -s "$here/$shard.log" ]; then echo "$shard: $(tail -n 1 "$here/$shard.log")"; fi
  done
}

# Compares OUT with a run that reads the FILEs themselves.
check() {
  command="cat $IN | $FILTER"
  # shellcheck disable=SC2086  # patterns are expanded
  [ -z "$(first_tool)" ] || command=$(reading "$(echo $IN)")
  bash -o pipefail -c "($command) | cmp - '$OUT'" || fail "the shards differ from a single run"
  echo "The shards equal a single run."
}

clean() { shards | while read -r shard; do rm -f "$here/$shard"; done; }

case $1 in
run | feed | array) # on a worker
  here=$(cd "$(dirname "$0")" && pwd)
  # shellcheck source=/dev/null
  . "$here/settings"
  export PATH
  cd "$directory"
  ;;
*)
  directory=$PWD work=$OUT.shards
  FILTER=$(printf '%s\n' "$FILTER" | paste -s -d ' ')
  case $work in /*) ;; *) work=$PWD/$work ;; esac
  [ ! -e "$work/key" ] || here=$work/$(cat "$work/key")
  ;;
esac
"$@"
