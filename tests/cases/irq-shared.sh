#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# rdma: both
#
# Steering belongs to the PCI function: every RDMA device on it shows and sets the
# same policy, and the last one to leave puts vectors back.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
policy() { policy_json "$1" '| del(.placed, .pending) | tostring'; }

ok "set through siw" nrdmactl irq set siw_eth1 policy local exclude 3
is "shown through rxe" "$(policy_json rxe_eth1 '| [.mode, .exclude] | join(" ")')" "local 3"
is "the same in all" "$(policy rxe_eth1)" "$(policy siw_eth1)"
ok "set through rxe" nrdmactl irq set rxe_eth1 exclude none lock off
is "shown through siw" "$(policy_json siw_eth1 '| [.exclude, .lock] | map(tostring) | join(" ")')" " false"
is "the other function has its own" "$(policy_json rxe_eth0 .mode)" off
is "both name the same vectors" "$(irq_json rxe_eth1 'map(.irq) | tostring')" "$(irq_json siw_eth1 'map(.irq) | tostring')"

placed=$(masks "$pci")
rdma link delete rxe_eth1
is "one device leaves: vectors stay" "$(masks "$pci")" "$placed"
is "and the policy" "$(policy_json siw_eth1 .mode)" local
rdma link delete siw_eth1
is "the last one leaves: they are back" "$(masks "$pci")" "$before"
ok "open to user space" moves "$pci"
rdma link add rxe_eth1 type rxe netdev eth1
is "one comes: steered as before" "$(masks "$pci")" "$placed"

# One that comes while the only other is on its way out does not go with it. That one is
# held up by a measurement that hardly gets a CPU.
nrdmactl probe rxe_eth1 op read size 4M iterations 1000 >/dev/null 2>"$tmp/probe" &
prober=$!
sleep 2
chrt -f -p 2 $$
hogs=
for cpu in 0 1 2 3; do
	taskset -c $cpu chrt -f 1 sh -c 'while :; do :; done' &
	hogs+=" $!"
done
rdma link delete rxe_eth1 &
goer=$!
until [ ! -e /dev/nrdma/rxe_eth1 ]; do :; done
rdma link add siw_eth1 type siw netdev eth1
# shellcheck disable=SC2086 # several
kill $hogs
chrt -o -p 0 $$
wait $goer $prober
ok "the measurement ended with its device" grep "the RDMA device was removed" "$tmp/probe"
ip link set eth1 down
ip link set eth1 up
sleep 2
is "who came keeps the policy" "$(policy_json siw_eth1 .mode)" local
is "and the places" "$(masks "$pci")" "$placed"
ok "which can be set" nrdmactl irq set siw_eth1 policy local
rdma link add rxe_eth1 type rxe netdev eth1

unload_proves "$pci" "$before"
done_testing
