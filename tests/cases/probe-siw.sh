#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# rdma: siw
# timeout: 400
#
# The same through the connection manager, without which iWARP does not connect.

export NRDMA_DEV=${NRDMA_DEV:-siw_eth1}
# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

leak_check_begin
before=$(resources)

ok "it measures" probe rounds 2
is "memory of each node by a CPU of each" \
	"$(probed '.cells | map([.mem_node, .cpu_node]) | tojson')" "[[0,0],[0,1],[1,0],[1,1]]"
is "a software device" "$(probed .software)" true
moves_data 8 64 4093 4096 65536 1048576 4194304

# ---- addresses ----

ip addr del "$addr" dev "$netdev"
ok "it connects over IPv6 alone" probe rounds 1 iterations 10
echo 1 >"/proc/sys/net/ipv6/conf/$netdev/disable_ipv6"
refused "but not without any address" "the port's network device has no address" nrdmactl probe "$dev"
echo 0 >"/proc/sys/net/ipv6/conf/$netdev/disable_ipv6"
ip addr add "$addr" dev "$netdev"
ok "it has one again" probe rounds 1 iterations 10

# ---- a stranger calls ----

begin rounds 1000 time 15 size 8 iterations 1
ok "who does not know the secret is turned away" timeout 60 t-stranger "$ip" 10
wait $reader
is "and not in the way" $? 0
is "of any measurement" "$(probed '.cells | map(select(.median > 0)) | length')" 4
begin rounds 1000 time 60 size 4M
ok "another is under way" within 10 running
kill -KILL $reader
wait $reader 2>/dev/null
ok "it ends with its reader" within 10 unused
nothing_of_probe "$before"

# ---- the device goes ----

begin rounds 1000 time 60
ok "a probe is under way" within 10 running
ok "the device is removed meanwhile" rdma link delete "$dev"
wait $reader
is "the reader is told" $? 2
like "in words" "$(cat "$tmp/probe.err")" "the RDMA device was removed"
rdma link add "$dev" type siw netdev "$netdev"
ok "it comes back" within 10 grep -q ACTIVE "/sys/class/infiniband/$dev/ports/1/state"
ok "and can be measured" probe rounds 1
nothing_of_probe "$before"

nothing_left
done_testing
