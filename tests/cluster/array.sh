#!/bin/sh
# cluster.mk runs shards as a Slurm array job, with slurm.sh; called without CLUSTER_TEST, this script starts it.
# Usage: array.sh TOOLS_DIRECTORY COOKBOOK_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) cookbook=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../golden/models" && pwd)
# shellcheck source=/dev/null
. "$here/../cookbook/common.sh"
need make bash
if [ -z "${CLUSTER_TEST-}" ]; then
  CLUSTER_TEST=1 exec sh "$here/slurm.sh" sh "$0" "$tools" "$cookbook"
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
PATH=$tools:$PATH
ln -s "$models/pretraining" model
for seed in 1 2 3; do awk -v seed=$seed -f "$here/../cookbook/text.awk"; done | bert-tokenize -m model --drop text >ids.jsonl
mkdir bin
cat >bin/flaky <<'END'
#!/bin/sh
echo "$SLURM_ARRAY_JOB_ID" >>ran
[ ! -e end ] || . ./end
exec bert-mask -m model --first-record "$FIRST_RECORD" "$@"
END
chmod +x bin/flaky
PATH=$PWD/bin:$PATH
build() { make -f "$cookbook/cluster.mk" IN=ids.jsonl OUT=out FILTER=flaky SHARDS=5 SLURM=1 "$@" >log 2>&1; }
expected() { bert-mask -m model ids.jsonl | cmp - out || fail "$1: other bytes than a single run"; }
ran() {
  found=$(wc -l <ran)
  [ "$found" = "$2" ] || fail "$1: ran $found commands, expected $2"
  rm ran
}

# A shard that fails once is run again in a second array job.
echo '[ "$FIRST_RECORD" != 0 ] || [ -e failed ] || { : >failed; echo oops >&2; exit 3; }' >end
build || fail "an array job"
expected "an array job"
[ "$(sort -u ran | wc -l)" = 2 ] || fail "not two array jobs"
ran "an array job" 6

# Errors name file and line; the other shards are run.
sed -i '20s/input_ids/ids/' ids.jsonl
rm end
build RETRIES=1 SBATCH=--cpus-per-task=2 && fail "accepted a bad record"
grep -qx 'bert-mask: ids.jsonl:20: .*' log || fail "does not name file and line"
rm ran

# make is killed while the array job runs; the next run waits for that job.
sed -i '20s/ids/input_ids/' ids.jsonl
echo 'sleep 2' >end
build &
make=$!
for _ in $(seq 100); do
  [ ! -e ran ] || break
  sleep 0.1
done
kill -9 $make
build || fail "after make was killed"
expected "after make was killed"
[ "$(sort -u ran | wc -l)" = 1 ] || fail "a second array job was started"
ran "after make was killed" 5
