#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: isolated
#
# Isolated CPUs take no vector unless they may: a node isolated in part gives what is
# left, one isolated wholly refuses and says the way out.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci0=$(pci_of eth0)
pci1=$(pci_of eth1)
before0=$(masks "$pci0")
before1=$(masks "$pci1")
way_out="isolated on"

is "CPUs 1 to 3 are isolated" "$(cat /sys/devices/system/cpu/isolated)" 1-3

# ---- in part ----

ok "eth0: half of its node is isolated" nrdmactl irq set rxe_eth0 policy local
is "the other half takes all" "$(masks "$pci0" | tr ' ' '\n' | sort -u | paste -sd' ')" 0
ok "unless isolated ones may" nrdmactl irq set rxe_eth0 isolated on
is "then both" "$(masks "$pci0" | tr ' ' '\n' | sort -u | paste -sd' ')" "0 1"
ok "and no longer" nrdmactl irq set rxe_eth0 isolated off
is "one again" "$(masks "$pci0" | tr ' ' '\n' | sort -u | paste -sd' ')" 0
ok "spread" nrdmactl irq set rxe_eth0 policy spread
is "knows them, too" "$(masks "$pci0" | tr ' ' '\n' | sort -u | paste -sd' ')" 0
refused "CPUs by list are no way past it" "$way_out" nrdmactl irq set rxe_eth0 policy cpus 1
is "nothing has changed" "$(policy_json rxe_eth0 .mode)" spread
ok "both words together are" nrdmactl irq set rxe_eth0 policy cpus 1 isolated on
is "to that CPU" "$(masks "$pci0" | tr ' ' '\n' | sort -u)" 1
ok "restored" nrdmactl irq restore rxe_eth0
is "as it was" "$(masks "$pci0")" "$before0"

# ---- wholly ----

refused "eth1: all of its node is isolated" "$way_out" nrdmactl irq set rxe_eth1 policy local
refused "the plan says so, too" "$way_out" nrdmactl irq set rxe_eth1 policy local dry-run
is "and nothing has moved, to no other node either" "$(masks "$pci1")" "$before1"
is "nor is the policy set" "$(policy_json rxe_eth1 .mode)" off
ok "unless they may" nrdmactl irq set rxe_eth1 policy local isolated on
ok "then to its node" every "$(masks "$pci1")" 2 3
ok "restored" nrdmactl irq restore rxe_eth1
unload_proves "$pci1" "$before1"
done_testing
