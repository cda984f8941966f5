#!/bin/sh
# Two hosts for tests: network namespaces with names and addresses of their own, joined by a link. Needs root.
# Source it after lib.sh. It removes them at the end.
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make network namespaces"; exit 77; }
command -v ip >/dev/null || { echo "skipped: ip (iproute2) is absent"; exit 77; }
prefix=bert$$
ip netns add "${prefix}a" 2>/dev/null || { echo "skipped: network namespaces cannot be made here"; exit 77; }
ip netns add "${prefix}b"
remove_hosts() {
  for host in a b; do
    for pid in $(ip netns pids $prefix$host); do kill -s KILL "$pid" 2>/dev/null || true; done
    ip netns delete $prefix$host
  done
  rm -rf "${directory:?}"
}
trap remove_hosts EXIT
ip link add ${prefix}a type veth peer name ${prefix}b
number=1
for host in a b; do
  ip link set $prefix$host netns $prefix$host
  ip -n $prefix$host addr add 10.99.7.$number/24 dev $prefix$host
  ip -n $prefix$host link set lo up
  ip -n $prefix$host link set $prefix$host up
  number=$((number + 1))
done

# mpirun calls the agent to start its daemon on the other host.
cat >agent <<END
#!/bin/sh
shift
exec ip netns exec ${prefix}b unshare --uts sh -c 'hostname bert-b; exec sh -c "\$0"' "\$*"
END
chmod +x agent
# on_two_hosts COMMAND...: runs it with one rank on each host.
on_two_hosts() {
  ip netns exec ${prefix}a unshare --uts sh -c 'hostname bert-a; exec "$@"' sh \
    mpirun -n 2 --host 10.99.7.1,10.99.7.2 --mca plm_rsh_agent "$directory/agent" --mca btl tcp,self \
    --mca btl_tcp_if_include 10.99.7.0/24 --mca oob_tcp_if_include 10.99.7.0/24 "$@"
}
# limit RATE: of the link, in each direction, such as 1gbit.
limit() {
  for host in a b; do
    ip netns exec "$prefix$host" tc qdisc add dev "$prefix$host" root tbf rate "$1" burst 1mb latency 100ms
  done
}
