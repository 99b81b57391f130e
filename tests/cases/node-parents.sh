#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_parent
#
# What an RDMA device can hang on: a PCI function, an auxiliary device of one as a
# sub-function does, a platform device, with and without a node.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
dev() { nrdmactl -j dev show rxe_par0 | jq -c ".[0]$1"; }
way() { dev '.step | map([.bus, .node])'; }
buses() { dev '.step | map(.bus)'; }

begin() {
	modprobe nrdma_parent "$@" || return
	ip link set par0 up
	rdma link add rxe_par0 type rxe netdev par0
}
end() {
	rdma link delete rxe_par0
	rmmod nrdma_parent
}

# ---- PCI ----

ok "on a PCI function" begin pci="$pci"
is "its node, known by the network device" "$(dev '| [.node, .node_source, .pci]')" "[1,\"netdev\",\"$pci\"]"
is "by way of it" "$(buses)" '["net","pci"]'
end

# ---- auxiliary ----

if begin kind=auxiliary pci="$pci" 2>"$tmp/aux"; then
	is "on an auxiliary device: the node and function above" "$(dev '| [.node, .pci]')" "[1,\"$pci\"]"
	is "by way of it" "$(buses)" '["net","auxiliary","pci"]'
	ok "dev show -d tells it in words" sh -c "nrdmactl -d dev show rxe_par0 | grep -q 'auxiliary nrdma_parent.sf'"
	ok "steers" nrdmactl irq set rxe_par0 policy local
	ok "the function's vectors" every "$(masks "$pci")" 2 3
	is "as the device on the function itself says, too" "$(policy_json rxe_eth1 .mode)" local
	ok "restored" nrdmactl irq restore rxe_eth1
	is "as it was" "$(masks "$pci")" "$before"
	end
else
	like "this kernel has no auxiliary bus" "$(cat "$tmp/aux")" "Operation not supported"
fi

# ---- platform ----

ok "on a platform device of node 0" begin kind=platform node=0
is "its node, and no function" "$(dev '| [.node, .node_source, .pci]')" '[0,"netdev",null]'
is "by way of it, whose node the network device has taken" "$(way)" '[["net",0],["platform",0]]'
refused "no vectors to steer" "virtual device" nrdmactl irq set rxe_par0 policy local
end
ok "on a platform device of no node" begin kind=platform
is "is not known, and not node 0" "$(dev '| [.node, .mem_node, .cpu_node]')" '[null,null,null]'
ok "with the reason" sh -c "nrdmactl dev show rxe_par0 | grep -qF 'not in firmware'"
ok "an administrator may say" nrdmactl dev set rxe_par0 node 1
is "and is believed" "$(dev '| [.node, .mem_node, .cpu_node, .tier]')" '[1,1,[1],"node"]'
ok "until he takes it back" nrdmactl dev set rxe_par0 node auto
end

unload_proves "$pci" "$before"
done_testing
