#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: sparse-nodes
#
# The machine is what the topology says: no node 1 between 0 and 2.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

is "nodes 0 and 2" "$(cat /sys/devices/system/node/online)" 0,2
is "eth0 is on node 0" "$(cat "/sys/bus/pci/devices/$(pci_of eth0)/numa_node")" 0
is "eth1 is on node 2" "$(cat "/sys/bus/pci/devices/$(pci_of eth1)/numa_node")" 2
done_testing
