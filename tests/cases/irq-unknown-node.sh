#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: no-node
#
# A machine without NUMA: the node is unknown, which is not node 0.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth0)
before=$(masks "$pci")
dev() { nrdmactl -j dev show rxe_eth0 | jq -r ".[0]$1"; }

is "the kernel knows no node" "$(cat "/sys/bus/pci/devices/$pci/numa_node")" -1
is "so the device has none" "$(dev .node)" null
is "nor have its buffers" "$(dev .mem_node)" null
is "no step on the way names one" "$(dev '.step | map(.node) | unique | tostring')" "[null]"
ok "but its PCI function is found" test "$(dev .pci)" = "$pci"

for policy in local spread; do
	refused "$policy is refused, with the remedy" "dev set" nrdmactl irq set rxe_eth0 policy $policy
	refused "and so is its plan" "dev set" nrdmactl irq set rxe_eth0 policy $policy dry-run
done
is "nothing has moved" "$(masks "$pci")" "$before"
ok "CPUs by list need no node" nrdmactl irq set rxe_eth0 policy cpus 1
ok "and are where vectors go" every "$(masks "$pci")" 1
ok "restored" nrdmactl irq restore rxe_eth0
is "as it was" "$(masks "$pci")" "$before"

ok "an administrator may say where it is" nrdmactl dev set rxe_eth0 node 0
ok "then local works" nrdmactl irq set rxe_eth0 policy local
ok "vectors are on that node's CPUs" every "$(masks "$pci")" 0 1
is "on one each" "$(masks "$pci" | tr ' ' '\n' | sort -u | paste -sd' ')" "0 1"
ok "and no longer" nrdmactl dev set rxe_eth0 node auto
is "unknown again" "$(dev .node)" null
ok "said in the policy" test "$(policy_json rxe_eth0 .error)" != null

unload_proves "$pci" "$before"
done_testing
