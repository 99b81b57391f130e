#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: stacked
# rdma: siw
#
# siw over a VLAN, a VLAN on a macvlan, a team within a node and one across nodes.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

dev() { nrdmactl -j dev show "$1" | jq -c ".[0]$2"; }
way() { dev "$1" '.step | map(select(.bus == "net") | .name)'; }

pci=$(pci_of eth4)
before=$(masks "$pci")
ok "siw over a VLAN" rdma link add siw_vlan type siw netdev eth4.5
is "the node and function of the NIC below" "$(dev siw_vlan '| [.node, .node_source, .pci]')" "[1,\"netdev\",\"$pci\"]"
is "by way of it" "$(way siw_vlan)" '["eth4.5","eth4"]'
ok "its vectors can be steered" nrdmactl irq set siw_vlan policy local
ok "and are" every "$(masks "$pci")" 2 3
ok "restored" nrdmactl irq restore siw_vlan

ip link add link mac0 name mac0.7 type vlan id 7
ip link set mac0.7 up
ok "siw over a VLAN over a macvlan" rdma link add siw_deep type siw netdev mac0.7
is "the NIC at the bottom" "$(dev siw_deep '| [.node, .pci]')" "[1,\"$pci\"]"
is "by way of all" "$(way siw_deep)" '["mac0.7","mac0","eth4"]'

# A port has one master.
ip link add team0 type team
ip link set team0 up
ok "siw over a team without ports" rdma link add siw_team type siw netdev team0
is "is not known" "$(dev siw_team '| [.node, .pci]')" "[null,null]"
ok "and is virtual" sh -c "nrdmactl dev show siw_team | grep -qF virtual"
rdma link delete siw_team
for n in eth0 eth1; do
	ip link set $n nomaster
	ip link set $n down
	ip link set $n master team0
done
ok "siw over a team of two NICs of node 0" rdma link add siw_team type siw netdev team0
is "is node 0, of no one function" "$(dev siw_team '| [.node, .pci]')" "[0,null]"
is "by way of both" "$(way siw_team)" '["team0","eth0","eth1"]'
rdma link delete siw_team
ip link set eth2 nomaster
ip link set eth2 down
ip link set eth2 master team0
ok "a third one of node 1" rdma link add siw_team type siw netdev team0
is "is not known" "$(dev siw_team '| [.node, .pci]')" "[null,null]"
ok "with the reason" sh -c "nrdmactl dev show siw_team | grep -qF 'lower devices differ'"

# ---- back ----

for d in siw_team siw_deep siw_vlan; do
	rdma link delete $d
done
ip link delete mac0.7
for n in eth0 eth1 eth2; do
	ip link set $n nomaster
done
ip link delete team0
for n in eth0 eth1; do
	ip link set $n down
	ip link set $n master bond0
	ip link set $n up
done
ip link set eth2 down
ip link set eth2 master bond1
ip link set eth2 up
unload_proves "$pci" "$before"
done_testing
