#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: cpuless
#
# The machine is what the topology says: a NIC on a node without CPUs.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

nodes=/sys/devices/system/node
is "three nodes" "$(cat $nodes/online)" 0-2
is "all with memory" "$(cat $nodes/has_memory)" 0-2
is "two with CPUs" "$(cat $nodes/has_cpu)" 0-1
is "eth0 is on the one without CPUs" "$(cat "/sys/bus/pci/devices/$(pci_of eth0)/numa_node")" 2
is "1 is the nearest to it" "$(cat $nodes/node2/distance)" "40 20 10"
done_testing
