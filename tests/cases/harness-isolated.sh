#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: isolated
#
# The machine is what the topology says: one housekeeping CPU.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

is "CPUs 1 to 3 are isolated" "$(cat /sys/devices/system/cpu/isolated)" 1-3
is "and without ticks" "$(cat /sys/devices/system/cpu/nohz_full)" 1-3
is "those of eth1's node are all among them" "$(cat /sys/devices/system/node/node1/cpulist)" 2-3
is "eth1 is on it" "$(cat "/sys/bus/pci/devices/$(pci_of eth1)/numa_node")" 1
done_testing
