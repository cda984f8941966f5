#!/bin/sh
# Runs a command with a Slurm cluster of one node with two CPUs, which exists while the command runs:
#
#   sh tests/mpi/with_slurm.sh COMMAND...
#
# The cluster's daemons use ports, keys and directories of their own; the variable SLURM_CONF tells Slurm's
# commands of it. Exit code: that of the command; 77 if packages are missing, or the user is not root.
set -eu
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch munged; do
  command -v $program >/dev/null || { echo "skipped: $program is absent (packages slurm-wlm and munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd needs root"; exit 77; }

cluster=$(mktemp -d)
chmod 755 "$cluster"
daemons=
end() {
  trap - EXIT INT TERM
  [ ! -e "$cluster/up" ] || scancel --full --state=running,pending --user=root 2>/dev/null || true
  # The last one started ends first.
  for daemon in $daemons; do
    kill "$daemon" 2>/dev/null || continue
    for _ in $(seq 50); do
      kill -0 "$daemon" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$daemon" 2>/dev/null || true
  done
  rm -rf "$cluster"
}
trap end EXIT
trap 'exit 1' INT TERM

# start NAME COMMAND...: starts a daemon in the foreground of its own process, so that it can be ended.
start() {
  name=$1
  shift
  "$@" >"$cluster/$name.log" 2>&1 &
  daemons="$! $daemons"
}
# await WHAT COMMAND...: waits until the command succeeds.
await() {
  what=$1
  shift
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "$what does not start" >&2
  tail -n 20 "$cluster"/*.log >&2
  exit 1
}

dd if=/dev/urandom of="$cluster/key" bs=1 count=1024 status=none
chmod 600 "$cluster/key"
# --force: the directories of the socket and the log belong to root instead of munge.
start munged munged --foreground --force --key-file="$cluster/key" --socket="$cluster/munge" --num-threads=2 \
  --pid-file="$cluster/munged.pid" --seed-file="$cluster/seed" --log-file="$cluster/munged.messages"
await munged test -S "$cluster/munge"

host=$(uname -n | sed 's/\..*//')
port=$(awk 'BEGIN { srand(); print 30000 + 2 * int(rand() * 10000) }')
cat >"$cluster/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
MailProg=/bin/true
ReturnToService=2
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
# Containers may have no cgroups to delegate; Slurm 23.02 and later can do without.
case $(slurmd -V) in *" 22."*) ;; *) echo 'CgroupPlugin=disabled' >"$cluster/cgroup.conf" ;; esac
mkdir "$cluster/state" "$cluster/spool"
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF

start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF"
is_idle() { [ "$(sinfo --noheader --format %t)" = idle ]; }
await Slurm is_idle
: >"$cluster/up"
"$@"
