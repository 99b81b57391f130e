#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: memless
#
# The NIC's node has CPUs and no memory: interrupts there, buffers from the nearest
# node that has some.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth0)
before=$(masks "$pci")
node=$(cat "/sys/bus/pci/devices/$pci/numa_node")
dev() { nrdmactl -j dev show rxe_eth0 | jq -c ".[0]$1"; }

# nearest: of the nodes with memory, by the kernel's own distances
nearest() {
	local n best='' d least=1000
	read -ra distances <"/sys/devices/system/node/node$node/distance"
	for n in "${!distances[@]}"; do
		grep -q "MemTotal: *0 kB" "/sys/devices/system/node/node$n/meminfo" && continue
		d=${distances[$n]}
		[ "$d" -lt "$least" ] && least=$d best=$n
	done
	echo "$best"
}

ok "the node has no memory" grep -q "MemTotal: *0 kB" "/sys/devices/system/node/node$node/meminfo"
is "it is the device's, and its CPUs'" "$(dev '| [.node, .cpu_node, .tier]')" "[$node,[$node],\"node\"]"
is "memory is the nearest node's that has some" "$(dev .mem_node)" "$(nearest)"
ok "steers" nrdmactl irq set rxe_eth0 policy local
on_node() {
	local c
	for c in $(masks "$pci"); do
		[ -e "/sys/devices/system/node/node$node/cpu$c" ] || return
	done
}
ok "to its own CPUs" on_node
ok "restored" nrdmactl irq restore rxe_eth0
unload_proves "$pci" "$before"
done_testing
