# Makes the pipe out, and a function that sends a signal to a command after some lines of its output.
mkfifo out
# stop_after LINES SIGNAL OUTPUT COMMAND...: runs COMMAND, appends its output to OUTPUT and sends SIGNAL after LINES lines.
# The pipe fills up and blocks COMMAND, so it cannot exit earlier. env undoes nohup, which ignores SIGHUP.
stop_after() {
  left=$1 signal=$2 output=$3
  shift 3
  env --default-signal=HUP "$@" >out 2>>said &
  {
    while [ "$left" -gt 0 ] && IFS= read -r line; do printf '%s\n' "$line" && left=$((left - 1)); done
    kill -s "$signal" $!
    cat
  } <out >>"$output"
  wait $! 2>/dev/null
}
