#!/bin/sh
# The commands of README.md that run shards with GNU parallel and Make give the bytes of a single run, and continue after
# failures and kills. Usage: shards.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
# shellcheck disable=SC2034
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
need make parallel setsid
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
: >log
shards

# A shard fails; the same command, but for the shards that exist, runs the rest.
echo 'case $* in *005*) echo oops >&2; exit 3 ;; esac' >end
if sh -eu divide >said 2>&1; then fail "a shard that fails"; fi
grep -qx oops said || fail "no message"
[ ! -e vectors.jsonl ] || fail "joined although a shard has failed"
ran "a shard that fails" 8
rm end
grep -v -e mkdir -e split divide >again
sh -eu again || fail "the shard that had failed"
ran "the shard that had failed" 1
same "the shard that had failed"
sh -eu again && same "nothing to do" && ran "nothing to do" 0

# GNU parallel and its shell are killed in the fourth shard: they are the process group of their session's leader.
rm -r log shards
echo 'case $* in *003*) kill -s KILL -- "-$(ps -o sid= -p $$ | tr -d " ")"; exit 1 ;; esac' >end
setsid --wait sh -eu divide >said 2>&1 && fail "nothing was killed"
rm end ran
sh -eu again || fail "after a kill"
ran "after a kill" 5
same "after a kill"

# Make runs the shards that are missing or older than their input.
block 'cat > Makefile' >older
rm shards/002.vectors
sh -eu older >said || fail "a missing shard"
ran "a missing shard" 1
same "a missing shard"
touch shards/006.jsonl
sh -eu older >said && ran "a shard that has changed" 1
same "a shard that has changed"
