#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: snc
#
# Several nodes a socket: CPUs are those of the node, not of the socket; near nodes
# come before far ones.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
dev() { nrdmactl -j dev show "$1" | jq -c ".[0]$2"; }
cpu() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }

is "eth0 is on node 1, one of the first socket's two" "$(dev rxe_eth0 '| [.node, .mem_node, .cpu_node, .tier]')" '[1,1,[1],"node"]'
is "eth1 on node 3" "$(dev rxe_eth1 '| [.node, .mem_node, .cpu_node, .tier]')" '[3,3,[3],"node"]'
ok "local" nrdmactl irq set rxe_eth1 policy local
ok "is the node's CPU, not the socket's" every "$(masks "$pci")" 3
is "spread begins near, goes on in the socket, then far" \
	"$(nrdmactl -j irq set rxe_eth1 policy spread dry-run | jq -c 'map(.wanted) | .[0:4]')" '["3","2","0","1"]'

cpu 3 0
in_socket() { every "$(masks "$pci")" 2; }
if [ "$(policy_json rxe_eth1 .kept)" = true ]; then
	ok "its CPU goes: the other node of the socket" within 5 in_socket
else
	ok "its CPU goes, asked again: the other node of the socket" nrdmactl irq set rxe_eth1 policy local
	ok "takes them" in_socket
fi
is "tier socket" "$(dev rxe_eth1 '| [.node, .cpu_node, .tier]')" '[3,[2],"socket"]'
is "memory stays where it is" "$(dev rxe_eth1 .mem_node)" 3
cpu 3 1
ok "asked again" nrdmactl irq set rxe_eth1 policy local
ok "back" every "$(masks "$pci")" 3

cpu 1 0
is "the same of a node that far ones come after" \
	"$(dev rxe_eth0 '| [.node, .cpu_node, .tier]')" '[1,[0],"socket"]'
cpu 1 1
ok "restored" nrdmactl irq restore rxe_eth1
unload_proves "$pci" "$(masks "$pci")"
done_testing
