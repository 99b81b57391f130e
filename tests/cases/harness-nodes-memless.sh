#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: memless
#
# The machine is what the topology says: a NIC on a node without memory.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

nodes=/sys/devices/system/node
is "four nodes" "$(cat $nodes/online)" 0-3
is "three with memory" "$(cat $nodes/has_memory)" 0,2-3
is "two with CPUs" "$(cat $nodes/has_cpu)" 0-1
is "eth0 is on the one without memory" "$(cat "/sys/bus/pci/devices/$(pci_of eth0)/numa_node")" 1
is "2 is the nearest to it" "$(cat $nodes/node1/distance)" "21 10 15 31"
done_testing
