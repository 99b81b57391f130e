#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: stacked
#
# The machine is what the topology says: RDMA devices over bonds and a macvlan.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

is "RDMA devices" "$(cd /sys/class/infiniband && echo *)" "rxe_bond0 rxe_bond1 rxe_eth4 rxe_mac0"
nodes_of() {
	tr ' ' '\n' <"/sys/class/net/$1/bonding/slaves" | while read -r n; do
		cat "/sys/bus/pci/devices/$(pci_of "$n")/numa_node"
	done | paste -sd' '
}
is "bond0 is within a node" "$(nodes_of bond0)" "0 0"
is "bond1 is not" "$(nodes_of bond1)" "1 0"
ok "a VLAN is there" ip link show eth4.5
done_testing
