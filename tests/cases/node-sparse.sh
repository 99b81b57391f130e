#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: sparse-nodes
#
# A node is absent from the middle of the numbering: it is nothing's node, and nothing
# that names it is believed. The one after it has memory and no CPU.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
dev() { nrdmactl -j dev show "$1" | jq -c ".[0]$2"; }

is "eth1 is on node 2, its memory too, its CPUs on 0" "$(dev rxe_eth1 '| [.node, .mem_node, .cpu_node]')" '[2,2,[0]]'
ok "steers" nrdmactl irq set rxe_eth1 policy local
ok "to CPUs that are" every "$(masks "$pci")" 0 1 2 3
refused "the absent node is no place for a device" "no such node is online" nrdmactl dev set rxe_eth1 node 1
refused "nor for vectors" "no such node online" nrdmactl irq set rxe_eth1 policy node 1
refused "nor for memory" "no such node has memory" nrdmactl pool set node 1 size 32M
printf '[node 1]\nsize = 32M\n' >"$tmp/conf"
refused "nor in a file" "no such node has memory" nrdmactl apply "$tmp/conf"
is "nodes with pools" "$(nrdmactl -j pool show | jq -c 'map(.node)')" "[0,2]"
is "all is as it was" "$(dev rxe_eth1 '| [.node, .node_override, .policy.mode]')" '[2,null,"local"]'
ok "restored" nrdmactl irq restore rxe_eth1
unload_proves "$pci" "$before"
done_testing
