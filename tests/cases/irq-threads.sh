#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: threads
#
# Cores with two threads each: vectors take whole cores first, and the second thread of
# one only when each has one.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth0)
before=$(masks "$pci")
wanted() { nrdmactl -j irq set rxe_eth0 policy "$@" dry-run | jq -c 'map(.wanted) | .[0:4]'; }

is "CPUs 0 and 1 are one core" "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" 0-1
is "a core each, then their second threads" "$(wanted local)" '["0","2","1","3"]'
is "spread, too" "$(wanted spread)" '["0","2","1","3"]'
# A second round begins one further: see nrdma_plan_place().
is "of a core whose first thread is excluded, the other" "$(wanted local exclude 0)" '["1","2","3","2"]'
ok "steered" nrdmactl irq set rxe_eth0 policy local
is "as planned" "$(masks "$pci" | cut -d' ' -f1-4)" "0 2 1 3"
unload_proves "$pci" "$before"
done_testing
