#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: remap
# kmod: nrdma_irqfail
#
# Steering fails half-way: masks, locks and policy are as they were before, whichever
# move it is that fails.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
modprobe nrdma_irqfail || bail "no module to fail with"
params=/sys/module/nrdma_irqfail/parameters
policy() { policy_json rxe_eth1 '| [.mode, .lock, .exclude, .steers] | map(tostring) | join(" ")'; }
locks() { irq_json rxe_eth1 'map(.locked) | map(tostring) | join(" ")'; }

# moves_to POLICY: how many vectors it would move
moves_to() {
	nrdmactl -j irq set rxe_eth1 policy "$1" dry-run | jq 'map(select(.wanted != .cpus)) | length'
}

# fails_at N POLICY: nothing is left of it
fails_at() {
	local masks policy locks
	masks=$(masks "$pci") policy=$(policy) locks=$(locks)
	echo "$1" >$params/nth
	refused "move $1 fails: told" "all are back where they were" \
		nrdmactl irq set rxe_eth1 policy "$2" lock on
	is "move $1: it was made to" "$(cat $params/nth)" 0
	is "move $1: masks are as they were" "$(masks "$pci")" "$masks"
	is "move $1: so is the policy" "$(policy)" "$policy"
	is "move $1: and who may move them" "$(locks)" "$locks"
}

for i in 1 5 "$(moves_to local)"; do
	fails_at "$i" "local"
done
ok "never steered, then: open to user space" moves "$pci"
events_begin
rdma link delete rxe_eth1
rdma link add rxe_eth1 type rxe netdev eth1
ok "the device goes and comes" within 5 grep -q '"added"' "$tmp/events"
events_end
is "and nobody is told that vectors were put back" "$(grep -c restored "$tmp/events")" 0

# From one policy to another, locked
ok "steered and locked" nrdmactl irq set rxe_eth1 policy local
for i in 1 3 "$(moves_to spread)"; do
	fails_at "$i" spread
done
ok "still locked" locked "$pci"
ok "unlocked" nrdmactl irq set rxe_eth1 lock off
fails_at 3 spread
ok "still open to user space" moves "$pci"

# Nobody asks: the check meets it, puts everything back, and tries again
events_begin
placed=$(masks "$pci")
ok "locked again" nrdmactl irq set rxe_eth1 lock on
echo 2 >$params/nth
channels eth1 2
channels eth1 4
back() { [ "$(masks "$pci")" = "$placed" ]; }
ok "in the end all are where they belong" within 30 back
is "the failure was met" "$(cat $params/nth)" 0
ok "and told" within 5 grep -q 'the kernel refused to move a vector' "$tmp/events"
events_end
is "no error is left" "$(policy_json rxe_eth1 .error)" null

# On the way back
echo 2 >$params/nth
nrdmactl -j irq restore rxe_eth1 >"$tmp/restore" 2>/dev/null
is "one that could not be put back: not ok" $? 2
is "and counted" "$(jq '.[0].policy.failed' "$tmp/restore")" 1
ok "tried again" nrdmactl irq restore rxe_eth1
is "as it was" "$(masks "$pci")" "$before"

rmmod nrdma_irqfail
unload_proves "$pci" "$before"
done_testing
