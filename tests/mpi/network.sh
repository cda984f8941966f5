#!/bin/sh
# Network faults between two hosts, which are network namespaces: a run continues to the same bytes, or ends with a
# message. It never ends with a wrong result.
set -eu
. "$(dirname "$0")/lib.sh"
. "${here:?}/hosts.sh"
command -v nft >/dev/null || { echo "skipped: nft (nftables) is absent"; exit 77; }
. "$LIB/sentences.sh"
records 200 class >train.jsonl
run() {
  on_two_hosts "${tools:?}/bert-train" --task classify -m "$MODELS/bare" --lr 3e-3 --batch-size 10 --steps "$@" --log-every 1 -q \
    train.jsonl
}
start() {
  rm -rf part part.log
  run "$@" -o part >part.log 2>err &
  pid=$!
  wait_for 20 part.log
}
link() { ip -n "${prefix:?}b" link set "${prefix}b" "$1"; }
run 2000 -o whole >whole.log
run 100 -o short >short.log
ranks 2 bert-train --task classify -m "$MODELS/bare" --lr 3e-3 --batch-size 10 --steps 2000 -q -o one-host train.jsonl >log
echo "Two hosts give the bytes of one."
same_bytes whole one-host

echo "With 5 % packet loss, the run ends as if there were none."
ip netns exec ${prefix}b nft add table ip lossy
ip netns exec ${prefix}b nft add chain ip lossy in '{ type filter hook input priority 0; }'
ip netns exec ${prefix}b nft add rule ip lossy in numgen random mod 100 '<' 5 drop
start 100
wait $pid || { fail "packet loss ended the run"; cat err; }
same_bytes short part
ip netns exec ${prefix}b nft delete table ip lossy

echo "A link that is down for 2 seconds delays the run."
start 2000
link down
sleep 2
link up
wait $pid || { fail "a short interruption ended the run"; cat err; }
same_bytes whole part

echo "A link that is down for 20 seconds ends the run with a message; it resumes to the same bytes."
start 2000
link down
(sleep 20; link up) &
cut=$(date +%s)
while ! grep -q bert-train err && [ $(($(date +%s) - cut)) -lt 15 ]; do sleep 0.1; done
[ $(($(date +%s) - cut)) -le 10 ] || fail "the message came too late"
if wait $pid; then fail "no error"; fi
grep -q 'bert-train: rank [01] (bert-[ab]) has not answered for 6 s' err || { fail "no message"; cat err; }
wait
run 2000 -o part --resume >>part.log 2>err || cat err
same_bytes whole part

echo "A host whose processes are killed ends the run; it resumes to the same bytes."
start 2000
for victim in $(ip netns pids ${prefix}b); do kill -s KILL "$victim" 2>/dev/null || true; done
if wait $pid; then fail "no error"; fi
echo "  mpirun says: $(grep -m 1 -v -e '^-*$' err)"
run 2000 -o part --resume >>part.log 2>err || cat err
same_bytes whole part
end
