#!/bin/sh
# cluster.mk runs shards on two hosts: two names of this machine, through an sshd that the test starts.
# Usage: hosts.sh TOOLS_DIRECTORY COOKBOOK_DIRECTORY
set -eu
tools=$(cd "$1" && pwd) cookbook=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../golden/models" && pwd)
# shellcheck source=/dev/null
. "$here/../cookbook/common.sh"
PATH=$PATH:/usr/sbin
need make bash parallel ssh ssh-keygen sshd
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
END
for port in $(awk 'BEGIN { srand(); for (i = 0; i < 9; i++) print 20000 + int(rand() * 10000) }'); do
  "$(command -v sshd)" -D -e -f server.conf -p "$port" 2>server.log &
  server=$!
  cat >client.conf <<END
Host one two
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
    ssh -F client.conf one true 2>log && break 2
    kill -0 "$server" 2>/dev/null || { server=; break; }
    sleep 0.2
  done
done
ssh -F client.conf two true 2>>log || { cat server.log log; echo "skipped: sshd does not start or takes no users here"; exit 77; }

# Notes the host name by which it was reached.
mkdir bin
cat >bin/noted <<'END'
#!/bin/sh
echo "$PARALLEL_SSHHOST $PARALLEL_JOBSLOT" >>ran
[ ! -e away ] || [ "$PARALLEL_SSHHOST" != one ] || exit 1
exec bert-embed --format f32 "$@"
END
chmod +x bin/noted
PATH=$PWD/bin:$PATH
ln -s "$models/pretraining" model
awk -v seed=1 -f "$here/../cookbook/text.awk" >a.txt
awk -v seed=2 -f "$here/../cookbook/text.awk" >b.txt
BERT_MODEL=model
export BERT_MODEL PARALLEL_SSH="ssh -F $PWD/client.conf"
build() { make -f "$cookbook/cluster.mk" IN='a.txt b.txt' OUT=out FILTER=noted FORMAT=text HOSTS=one,two "$@" >log 2>&1; }
expected() { bert-embed --format f32 a.txt b.txt | cmp - out || fail "$1: other bytes than a single run"; }

build SHARDS=6 JOBS=1 || fail "two hosts"
expected "two hosts"
[ "$(wc -l <ran)" = 6 ] || fail "not six shards were run"
[ "$(cut -d ' ' -f 1 ran | sort -u | paste -s -d ' ')" = "one two" ] || fail "not both hosts were used: $(cat ran)"

# Shards that fail on one host are tried on the other one.
: >away
build SHARDS=5 || fail "a host that fails"
expected "a host that fails"
[ "$(grep -c two ran)" -ge 5 ] || fail "the other host did not run all shards"

# A host that cannot be reached.
build SHARDS=4 HOSTS=two,absent.invalid || fail "a host that is away"
expected "a host that is away"
