#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# What nrdmactl shows is what the host says: nodes, ports, MTUs, vectors; by every
# way to name a device; as JSON that is valid and whole.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

get() { nrdmactl -j status "$1" | jq -c ".[0]$2"; }

ok "status is JSON" sh -c 'nrdmactl -j status | jq -e "type == \"array\""'
is "with both devices" "$(nrdmactl -j status | jq -c 'map(.name)')" '["rxe_eth0","rxe_eth1"]'
is "on nodes 0 and 1" "$(nrdmactl -j | jq -c 'map(.node)')" '[0,1]'
is "and memory and CPUs there" "$(nrdmactl -j | jq -c 'map([.mem_node, .cpu_node])')" '[[0,[0]],[1,[1]]]'

for n in 0 1; do
	pci=$(pci_of eth$n)
	is "eth$n: sysfs says the same node" \
		"$(get rxe_eth$n .node)" "$(cat "/sys/bus/pci/devices/$pci/numa_node")"
	is "eth$n: the PCI function" "$(get rxe_eth$n .pci)" "\"$pci\""
	is "eth$n: as many vectors" "$(get rxe_eth$n .vectors)" "$(virqs "$pci" | wc -l)"
	is "eth$n: each of them local, remote or managed" \
		"$(get rxe_eth$n '| .vectors_local + .vectors_remote + .vectors_managed')" \
		"$(get rxe_eth$n .vectors)"
	is "eth$n: the numbers of the interrupts" \
		"$(nrdmactl -j irq show rxe_eth$n | jq -r '.[].irq' | sort -n)" "$(virqs "$pci")"
	is "eth$n: their masks" "$(irq_json rxe_eth$n 'map(.cpus) | join(" ")')" "$(masks "$pci")"
	is "eth$n: and where they go" \
		"$(irq_json rxe_eth$n 'map(.effective) | join(" ")')" "$(effective "$pci")"
done

is "active and most MTU as verbs have them" \
	"$(get rxe_eth0 '.ports[0] | [.active_mtu, .max_mtu]')" \
	"$(ibv_devinfo -d rxe_eth0 | awk '/active_mtu/ { a = $2 } /max_mtu/ { m = $2 } END { print "[" a "," m "]" }')"
is "the module told them, and nobody opened the device" \
	"$(strace -f -qq -e trace=openat nrdmactl status 2>&1 >/dev/null | grep -c infiniband/uverbs)" 0
ip link set eth0 mtu 1500
is "the network device's" "$(get rxe_eth0 '.ports[0].netdev_mtu')" 1500
ip link set eth0 mtu 4200
is "a larger one, and RoCE's follows" "$(get rxe_eth0 '.ports[0] | [.netdev_mtu, .active_mtu]')" '[4200,4096]'
ip link set eth0 mtu 1500

ip link set eth1 down
ok "a port goes down" within 5 sh -c 'nrdmactl -j status rxe_eth1 | jq -e ".[0].ports[0].state == \"down\""'
is "and has no rate" "$(get rxe_eth1 '.ports[0] | [.rate, .lane, .width]')" '[null,null,null]'
is "the other one has" "$(get rxe_eth0 '.ports[0].rate != null')" true
ip link set eth1 up

pci=$(pci_of eth1)
for name in rxe_eth1 rxe_eth1/1 eth1 "$pci" "${pci#0000:}"; do
	is "by the name $name" "$(get "$name" .name)" '"rxe_eth1"'
done

ok "lines of at most 100 columns" sh -c '! nrdmactl status | grep -E "^.{101}"'
ok "irq show too" sh -c '! nrdmactl irq show | grep -E "^.{101}"'
ok "and dev show" sh -c '! nrdmactl dev show | grep -E "^.{101}"'
ok "who is not root sees as much" sh -c '
	nrdmactl -j dev show >/tmp/root.json
	setpriv --reuid 1000 --regid 1000 --clear-groups nrdmactl -j dev show >/tmp/user.json
	cmp /tmp/root.json /tmp/user.json'

# A renamed device is found by its new name, and what was said of it holds
nrdmactl dev set rxe_eth0 node 1 >/dev/null
rdma dev set rxe_eth0 name renamed0
is "renamed" "$(nrdmactl -j dev show renamed0 | jq -c '.[0] | [.chardev, .node, .node_override]')" \
	'["/dev/nrdma/renamed0",1,1]'
refused "the old name is unknown" 'no RDMA device "rxe_eth0": there is renamed0 (' nrdmactl dev show rxe_eth0
nrdmactl dev set renamed0 node auto >/dev/null
is "and back to what was found" "$(get renamed0 .node)" 0
rdma dev set renamed0 name rxe_eth0

# A virtual device has a row like the others
ip link add name none0 type dummy
ip link set none0 up
rdma link add virt type rxe netdev none0
is "three devices" "$(nrdmactl -j status | jq -c 'map(.name) | sort')" '["rxe_eth0","rxe_eth1","virt"]'
is "one of them nowhere" "$(get virt '| [.node, .mem_node, .pci, .vectors_local]')" '[null,null,null,null]'
is "which the text explains" "$(nrdmactl status virt | grep -c 'n/a (virtual)')" 1
rdma link delete virt
ip link delete none0

done_testing
