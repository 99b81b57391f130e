#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# What cannot be followed is refused in words, and changes nothing.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
nrdmactl irq set rxe_eth1 policy cpus 0,2 exclude 1
before=$(masks "$pci")
policy=$(policy_json rxe_eth1 '| [.mode, .cpus, .exclude, .lock] | map(tostring) | join(" ")')

try() { refused "$1" "$2" nrdmactl irq set rxe_eth1 "${@:3}"; }

try "a node that is not there" "no such node" policy node 5
try "CPUs that are not there" "cannot be on this machine" policy cpus 7
try "CPUs far beyond" "cannot be on this machine" policy cpus 5000
try "every CPU excluded" "excluded" policy local exclude 2-3

ip link add name none0 type dummy 2>/dev/null
ip link set none0 up
rdma link add virt type rxe netdev none0
refused "a virtual device has no interrupts" "virtual device" nrdmactl irq set virt policy local
refused "nor any to restore" "virtual device" nrdmactl irq restore virt
is "and shows none, which is no error" "$(nrdmactl -j irq show virt)" "[]"
is "its node is unknown" "$(nrdmactl -j dev show virt | jq -r '.[0].node')" null
rdma link delete virt
ip link delete none0

refused "nobody without CAP_NET_ADMIN" "" \
	setpriv --reuid 1000 --regid 1000 --clear-groups nrdmactl irq set rxe_eth1 policy local
refused "nor with it in a namespace of his own" "" \
	setpriv --reuid 1000 --regid 1000 --clear-groups unshare -Urn nrdmactl irq set rxe_eth1 policy local
ok "who may look" setpriv --reuid 1000 --regid 1000 --clear-groups nrdmactl irq show rxe_eth1

is "the policy is as it was" \
	"$(policy_json rxe_eth1 '| [.mode, .cpus, .exclude, .lock] | map(tostring) | join(" ")')" "$policy"
is "and so are the vectors" "$(masks "$pci")" "$before"

nrdmactl irq restore rxe_eth1
unload_proves "$pci" "$(masks "$pci")"
done_testing
