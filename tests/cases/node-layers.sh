#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: stacked
#
# Through bonds and a macvlan down to the hardware: the same node where all agree,
# unknown with the reason where they do not, a PCI function where there is one.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

dev() { nrdmactl -j dev show "$1" | jq -c ".[0]$2"; }
# way DEV: the network devices that were asked, in order
way() { dev "$1" '.step | map(select(.bus == "net") | .name)'; }

pci=$(pci_of eth4)
is "plain: the node of its PCI function" "$(dev rxe_eth4 '| [.node, .node_source, .pci]')" "[1,\"netdev\",\"$pci\"]"
is "macvlan: that of the NIC below" "$(dev rxe_mac0 '| [.node, .pci]')" "[1,\"$pci\"]"
is "by way of it" "$(way rxe_mac0)" '["mac0","eth4"]'
ok "its vectors can be steered" nrdmactl irq set rxe_mac0 policy local
ok "and are" every "$(masks "$pci")" 2 3
is "the device on the NIC itself says the same" "$(policy_json rxe_eth4 .mode)" local
ok "restored" nrdmactl irq restore rxe_eth4

is "bond of two NICs of node 0: node 0" "$(dev rxe_bond0 .node)" 0
is "but of no one PCI function" "$(dev rxe_bond0 .pci)" null
is "by way of both" "$(way rxe_bond0)" '["bond0","eth0","eth1"]'
refused "so it has no vectors to steer" "virtual device" nrdmactl irq set rxe_bond0 policy local

is "bond across nodes: unknown" "$(dev rxe_bond1 .node)" null
ok "with that reason" sh -c "nrdmactl dev show rxe_bond1 | grep -qF 'lower devices differ'"
is "and no memory node" "$(dev rxe_bond1 .mem_node)" null
ok "an administrator may say" nrdmactl dev set rxe_bond1 node 1
is "and is believed" "$(dev rxe_bond1 '| [.node, .mem_node, .node_source]')" '[1,1,"override"]'
ok "until he takes it back" nrdmactl dev set rxe_bond1 node auto
is "unknown again" "$(dev rxe_bond1 .node)" null
refused "no node that is not there" "" nrdmactl dev set rxe_bond1 node 7

# The bond is renamed, as udev does it: what was said of it is known by the new name.
rename() {
	ip link set "$1" down && ip link set "$1" name "$2" && ip link set "$2" up
}
ok "an administrator says where a virtual device is" nrdmactl dev set rxe_bond0 node 1
ok "its network device is renamed" rename bond0 bond9
rdma link delete rxe_bond0
rdma link add rxe_bond0 type rxe netdev bond9
is "a new device on it is there as well" "$(dev rxe_bond0 '| [.node, .node_source]')" '[1,"override"]'
ok "until he takes it back" nrdmactl dev set rxe_bond0 node auto
ok "renamed back" rename bond9 bond0
is "as it was" "$(dev rxe_bond0 .node)" 0

# A network device that was renamed to what another was called, of which something had
# been said: that is forgotten, and not heard of again.
ip link add said0 type dummy
rdma link add rxe_said type rxe netdev said0
nrdmactl dev set rxe_said node 0 >/dev/null
rdma link delete rxe_said
ip link delete said0
ip link add said1 type dummy
rdma link add rxe_said type rxe netdev said1
nrdmactl dev set rxe_said node 1 >/dev/null
ok "one takes another's name" rename said1 said0
is "and keeps its own node" "$(dev rxe_said .node)" 1
ok "which is taken back" nrdmactl dev set rxe_said node auto
rdma link delete rxe_said
rdma link add rxe_said type rxe netdev said0
is "for good" "$(dev rxe_said .node)" null
rdma link delete rxe_said
ip link delete said0

# One NIC left, and it goes: the device above it stays, its vectors are let go of.
rdma link delete rxe_bond1
ip link set eth3 nomaster
rdma link add rxe_bond1 type rxe netdev bond1
pci=$(pci_of eth2)
is "bond of one NIC: its node, its function" "$(dev rxe_bond1 '| [.node, .pci]')" "[1,\"$pci\"]"
ok "steers" nrdmactl irq set rxe_bond1 policy local
ok "to its node" every "$(masks "$pci")" 2 3
echo "$pci" >/sys/bus/pci/drivers/virtio-pci/unbind
ok "its driver goes: the device above stays" nrdmactl dev show rxe_bond1
is "and has no vectors" "$(nrdmactl -j irq show rxe_bond1)" "[]"
refused "nor can it be steered" "no driver" nrdmactl irq set rxe_bond1 policy spread
echo "$pci" >/sys/bus/pci/drivers/virtio-pci/bind
again() { every "$(masks "$pci")" 2 3; }
ok "it comes back: steered again" within 10 again
echo 1 >"/sys/bus/pci/devices/$pci/remove"
is "unplugged: no vectors" "$(nrdmactl -j irq show rxe_bond1)" "[]"
echo 1 >/sys/bus/pci/rescan
ok "another one is plugged in there: steered as well" within 20 again

# As it was: eth2 is a new one, and both are in the bond.
rdma link delete rxe_bond1
ip addr add 10.0.2.1/24 dev eth2
for n in eth2 eth3; do
	ip link set $n down
	ip link set $n master bond1
	ip link set $n up
done
rdma link add rxe_bond1 type rxe netdev bond1
unload_proves "$pci" "$(masks "$pci")"
done_testing
