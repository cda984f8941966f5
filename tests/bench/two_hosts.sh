#!/bin/sh
# Runs a command under mpirun on two hosts, which are network namespaces, over a link of a limited rate; needs root.
# Usage: two_hosts.sh TOOLS_DIRECTORY RATE COMMAND...        RATE: such as 10gbit, or unlimited
set -eu
folder=$PWD
. "$(dirname "$0")/../mpi/lib.sh"
. "${here:?}/../mpi/hosts.sh"
rate=$2
shift 2
[ "$rate" = unlimited ] || limit "$rate"
cd "$folder"
on_two_hosts "$@"
