#!/bin/sh
# The commands of README.md that run shards on two hosts: two names of this machine, through an sshd that the test starts.
# Usage: hosts.sh TOOLS_DIRECTORY EXAMPLES_DIRECTORY
set -eu
# shellcheck disable=SC2034
tools=$(cd "$1" && pwd) examples=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/common.sh"
PATH=$PATH:/usr/sbin
need parallel ssh ssh-keygen sshd
directory=$(mktemp -d)
server=
end() { [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$directory"; }
trap end EXIT
trap 'exit 1' INT TERM
cd "$directory"
PATH=$tools:$PATH
: >log

# A server of this user alone, with keys of its own. Its working directory must not be writable for others, and
# root's sshd needs /run/sshd.
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
cp user.pub known_users
if [ "$(id -u)" = 0 ]; then mkdir -p /run/sshd; fi
cat >server.conf <<END
ListenAddress 127.0.0.1
HostKey $PWD/host
AuthorizedKeysFile $PWD/known_users
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
AcceptEnv PARALLEL_*
SetEnv PATH=$PWD/bin:$PATH
END
for port in $(awk 'BEGIN { srand(); for (i = 0; i < 9; i++) print 20000 + int(rand() * 10000) }'); do
  "$(command -v sshd)" -D -e -f server.conf -p "$port" 2>server.log &
  server=$!
  cat >client.conf <<END
Host node1 node2
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $PWD/user
  IdentitiesOnly yes
  UserKnownHostsFile /dev/null
  StrictHostKeyChecking no
  LogLevel ERROR
END
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    ssh -F client.conf node1 true 2>log && break 2
    kill -0 "$server" 2>/dev/null || { server=; break; }
    sleep 0.2
  done
done
ssh -F client.conf node2 true 2>>log || { cat server.log log; echo "skipped: sshd does not start or takes no users here"; exit 77; }

shards
PARALLEL_SSH="ssh -F $PWD/client.conf"
export PARALLEL_SSH
sed -i '/^mkdir\|^split/!d' divide
block 'parallel -j 1 --sshlogin node1,node2 --workdir' >share
block 'parallel -j 1 --sshlogin node1,node2 --keep-order' | sed "s/10M/1k/; s,/models/,$PWD/," >send
hosts() { sed 's/.* //' ran | sort -u | paste -s -d ' '; }

sh -eu divide
sh -eu share || fail "two hosts"
[ "$(hosts)" = "node1 node2" ] || fail "not both hosts were used: $(cat ran)"
ran "two hosts" 8
same "two hosts"

# Shards that fail on one host are tried on the other one.
rm -r shards log
echo '[ "$PARALLEL_SSHHOST" != node1 ] || exit 1' >end
sh -eu divide
sh -eu share || fail "a host that fails"
[ "$(grep -c node2 ran)" = 8 ] || fail "the other host did not run all shards"
same "a host that fails"

# Each host gets a part of the input; none of its files are there.
rm end ran
sh -eu send || fail "the input sent to two hosts"
[ "$(hosts)" = "node1 node2" ] || fail "not both hosts were sent input: $(cat ran)"
same "the input sent to two hosts"
