#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_provider
# kernels: 6.1 6.12 7.2 7.3 debug
# timeout: 240
#
# RDMA devices on a PCI function, on an auxiliary device of one, on a platform device
# and on nothing; several on one function; sixty-four at once.

# shellcheck source=tests/cases/lib/prov.sh
. "$(dirname "$0")/lib/prov.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
place() { nrdmactl -j dev show "$1" | jq -c '.[0] | [.node, .node_source, .pci]'; }

prov_begin

# ---- parents ----

prov add on_pci parent="pci:$pci"
is "on a PCI function" "$(place on_pci)" "[1,\"pci\",\"$pci\"]"
prov add on_aux parent="aux:$pci"
is "on an auxiliary device of it" "$(place on_aux | jq -c '[.[0], .[2]]')" "[1,\"$pci\"]"
is "step by step" "$(nrdmactl -j -d dev show on_aux | jq -c '.[0].step | map(.bus) | .[0:2]')" \
	'["auxiliary","pci"]'
prov add on_platform parent=platform
is "on a platform device: no node" "$(place on_platform)" '[null,null,null]'
prov add on_nothing parent=none
is "on nothing: no node" "$(place on_nothing)" '[null,null,null]'
ok "and status says so of both" nrdmactl status
is "no buffer without a node" "$(t-buf map /dev/nrdma/on_nothing 8192)" "mmap=ENXIO"
is "but with one" "$(t-buf alloc /dev/nrdma/on_nothing 8192 node 1 | grep -o 'node1=[0-9]*')" "node1=2"
refused "steering takes a PCI function" "virtual" nrdmactl irq set on_platform policy local
refused "measuring takes verbs for the kernel" "no fast registration for the kernel" nrdmactl probe on_pci

# ---- one policy for all devices of a function ----

nr=$(virqs "$pci" | wc -l)
ok "steer through the auxiliary device" nrdmactl irq set on_aux policy local lock on
busy eth1
ok "all vectors are on node 1" every "$(masks "$pci")" 2 3
for d in on_pci on_aux rxe_eth1; do
	is "$d shows the policy" "$(policy_json $d '.mode')" local
	is "and all vectors" "$(irq_json $d length)" "$nr"
done
prov del on_aux
prov del on_pci
ok "its last other device keeps it" every "$(masks "$pci")" 2 3
is "says the module as well" "$(policy_json rxe_eth1 .mode)" local
ok "restored" nrdmactl irq restore rxe_eth1
busy eth1
is "as before" "$(masks "$pci")" "$before"
prov del on_nothing
prov del on_platform

# ---- many ----

for i in $(seq 64); do
	prov add "many$i" link=ib ports=2 speed=64 parent="pci:$pci"
done
is "sixty-six devices" "$(nrdmactl -j dev show | jq length)" 66
is "each once" "$(nrdmactl -j dev show | jq -r '.[].name' | sort | uniq -d)" ""
is "each with a character device" "$(find /dev/nrdma -type c | wc -l)" 66
is "status has them" "$(nrdmactl -j status | jq 'map(.ports | length) | add')" $((64 * 2 + 2))
is "vectors of each" "$(nrdmactl -j irq show | jq 'map(select(.dev_name | startswith("many"))) | length')" \
	$((64 * nr))
is "a buffer of the last" "$(t-buf map /dev/nrdma/many64 8192 | grep -o 'node1=[0-9]*')" "node1=2"
# As a container may have kept the node that it was given
# shellcheck disable=SC2046 # two numbers
mknod /dev/kept c $(stat -c '%Hr %Lr' /dev/nrdma/many32)
prov del many32
is "one of them goes: its node in /dev opens nothing" "$(t-buf map /dev/kept 8192)" "open=ENXIO"
rm /dev/kept
prov add many32 link=ib ports=2 speed=64 parent="pci:$pci"
ok "check gets through" sh -c 'nrdmactl check >/dev/null; [ $? != 2 ]'
ok "unload with all of them there" rmmod nrdma
ok "and load again" modprobe nrdma
is "all are found" "$(nrdmactl -j dev show | jq length)" 66

prov_end
is "nothing in /dev/nrdma but the two" "$(cd /dev/nrdma && echo *)" "rxe_eth0 rxe_eth1"
done_testing
