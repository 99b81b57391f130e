#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: cpuless
#
# The NIC's node has memory and no CPUs: buffers there, interrupts to the nearest
# node that has some, never an empty mask.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth0)
before=$(masks "$pci")
node=$(cat "/sys/bus/pci/devices/$pci/numa_node")
dev() { nrdmactl -j dev show rxe_eth0 | jq -c ".[0]$1"; }

# nearest: of the nodes with CPUs, by the kernel's own distances
nearest() {
	local n best='' d least=1000
	read -ra distances <"/sys/devices/system/node/node$node/distance"
	for n in "${!distances[@]}"; do
		[ -n "$(cat "/sys/devices/system/node/node$n/cpulist")" ] || continue
		d=${distances[$n]}
		[ "$d" -lt "$least" ] && least=$d best=$n
	done
	echo "$best"
}

is "the node has no CPU" "$(cat "/sys/devices/system/node/node$node/cpulist")" ""
is "it is the device's, and its memory's" "$(dev '| [.node, .mem_node]')" "[$node,$node]"
is "interrupts go to the nearest with CPUs" "$(dev .cpu_node)" "[$(nearest)]"
ok "steers" nrdmactl irq set rxe_eth0 policy local
# shellcheck disable=SC2046 # CPUs
ok "to its CPUs" every "$(masks "$pci")" $(nrdmactl -j irq show rxe_eth0 | jq -r 'map(.wanted) | unique | .[]')
on_nearest() {
	local c
	for c in $(masks "$pci"); do
		[ -e "/sys/devices/system/node/node$(nearest)/cpu$c" ] || return
	done
}
ok "which are that node's" on_nearest
refused "its own node as policy has no CPU" "no online CPU" nrdmactl irq set rxe_eth0 policy node "$node"
ok "restored" nrdmactl irq restore rxe_eth0
unload_proves "$pci" "$before"
done_testing
