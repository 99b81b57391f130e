#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: snc
#
# The machine is what the topology says: two nodes a socket.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

is "four nodes" "$(cat /sys/devices/system/node/has_memory)" 0-3
is "on two sockets" "$(cat /sys/devices/system/cpu/cpu[0-3]/topology/physical_package_id | paste -sd' ')" "0 0 1 1"
is "0 and 1 are near" "$(cat /sys/devices/system/node/node0/distance)" "10 12 21 21"
is "eth0 is on node 1" "$(cat "/sys/bus/pci/devices/$(pci_of eth0)/numa_node")" 1
is "eth1 is on node 3" "$(cat "/sys/bus/pci/devices/$(pci_of eth1)/numa_node")" 3
done_testing
