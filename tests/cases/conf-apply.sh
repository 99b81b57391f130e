#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# nrdma.conf: applied at boot and when a device appears; a bad one changes nothing;
# what "dev show config" prints applies, and gives what was.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci0=$(pci_of eth0)
pci1=$(pci_of eth1)
before0=$(masks "$pci0")
before1=$(masks "$pci1")
conf=/etc/nrdma/nrdma.conf
mkdir -p /etc/nrdma

state() {
	nrdmactl -j dev show | jq -c 'map([.name, .node_override, (.policy | .mode, .cpus, .lock, .exclude, .isolated)])'
	nrdmactl -j pool show | jq -c 'map([.node, .bytes, .chunk_bytes, .gid, .shrink, .uid_cap, .node_cap])'
	masks "$pci0"
	masks "$pci1"
}
untouched=$(state)

# bad NAME WORDS <FILE: refused with these words, in a line, and nothing is done
bad() {
	local before
	before=$(state)
	cat >"$tmp/bad.conf"
	nrdmactl apply "$tmp/bad.conf" >"$tmp/out" 2>"$tmp/err"
	is "$1: status, lines" "$? $(wc -l <"$tmp/err") $(wc -l <"$tmp/out")" "2 1 0"
	ok "$1: words" grep -F -- "$2" "$tmp/err"
	is "$1: nothing is applied" "$(state)" "$before"
}

# ---- nothing set, nothing to say ----

is "as it is without any configuration: nothing to say" "$(nrdmactl dev show config)" ""
is "in JSON, too" "$(nrdmactl -j dev show config)" "[]"
refused "no file" "$conf: No such file" nrdmactl apply

# ---- bad ones; each has a good section first ----

bad "unknown key" "bad.conf: line 4: no key \"polcy\" in [eth1]: there is node, policy, lock" <<-CONF
	[node 1]
	size = 32M
	[eth1]
	polcy = local
CONF
bad "unknown value" "line 2: policy \"best\": must be one of local, spread, off, node N" <<-CONF
	[eth1]
	policy = best
CONF
bad "a CPU that cannot be" "line 4: [rxe_eth1]: a CPU of the list cannot be on this machine" <<-CONF
	[rxe_eth0]
	policy = local
	[rxe_eth1]
	policy = cpus 0,900
CONF
bad "a node that is not there" "line 4: [rxe_eth1]: node 9: is not online, 0-1 is" <<-CONF
	[rxe_eth0]
	policy = local
	[rxe_eth1]
	node = 9
CONF
bad "a pool on no node" "line 4: [node 7]: no such node has memory" <<-CONF
	[rxe_eth0]
	policy = local
	[node 7]
	size = 32M
CONF
bad "a pool larger than the node" "line 4: [node 1]: size: the node has" <<-CONF
	[rxe_eth0]
	policy = local
	[node 1]
	size = 64G
CONF
bad "a chunk that is no power of two" "line 4: [node 1]: chunk: must be a power of two" <<-CONF
	[rxe_eth0]
	policy = local
	[node 1]
	chunk = 3M
CONF
bad "a chunk that is less than a page" "to a huge page" <<-CONF
	[rxe_eth0]
	policy = local
	[node 1]
	chunk = 1k
CONF
bad "a chunk that is more than a huge page" "to a huge page" <<-CONF
	[rxe_eth0]
	policy = local
	[node 1]
	chunk = 4M
CONF
bad "one device, two sections" "is about $pci1, and so is [eth1] in line 2" <<-CONF
	[eth1]
	policy = local
	[$pci1]
	lock = on
CONF

# ---- a good one: by PCI address, by network device; one that is not here ----

cat >"$conf" <<-CONF
	; for the test
	[node 1]
	size = 32M
	group = 100
	cap = 128M

	[$pci1]
	policy = cpus 2
	    3
	lock = on

	[eth0]
	node = 1
	policy = local
	lock = off
	exclude = 3

	[mlx5_7]
	policy = spread
CONF
ok "dry-run" nrdmactl apply dry-run
is "does nothing" "$(state)" "$untouched"
is "and tells what would be" \
	"$(nrdmactl -j apply dry-run | jq -c 'map([.section, .dev_name, .result])')" \
	"[[\"node 1\",null,\"could be applied\"],[\"$pci1\",\"rxe_eth1\",\"could be applied\"],[\"eth0\",\"rxe_eth0\",\"could be applied\"],[\"mlx5_7\",null,\"not here\"]]"
ok "applied" nrdmactl apply
pool() { nrdmactl -j pool show | jq -c '.[1] | [.ready_bytes, .gid, .uid_cap]'; }
filled() { [ "$(pool)" = "[33554432,100,134217728]" ]; }
ok "the pool is there, its group and the cap" within 20 filled
ok "$pci1 goes to the CPUs named" every "$(masks "$pci1")" 2 3
ok "and is locked" locked "$pci1"
is "eth0 is said to be on node 1" "$(nrdmactl -j dev show rxe_eth0 | jq -c '.[0] | [.node, .node_override]')" "[1,1]"
ok "and goes there, not to the CPU excluded" every "$(masks "$pci0")" 2
ok "not locked" moves "$pci0"

# ---- again, and what it prints ----

applied=$(state)
ok "applied again" nrdmactl apply
is "the same" "$(state)" "$applied"
nrdmactl dev show config >"$tmp/printed.conf"
sed 's/^/# /' "$tmp/printed.conf"
is "only of one device" "$(nrdmactl dev show eth1 config)" "$(sed -n "/^\\[$pci1\\]/,/^\$/p" "$tmp/printed.conf" | sed '$d')"
nrdmactl irq restore rxe_eth0 >/dev/null
nrdmactl irq set rxe_eth1 policy spread lock off >/dev/null
nrdmactl dev set rxe_eth0 node auto >/dev/null
nrdmactl pool set node 1 size 0 group none cap 0 >/dev/null
isnt "all is set otherwise" "$(state)" "$applied"
empty() { [ "$(nrdmactl -j pool show | jq '.[1].ready_bytes')" = 0 ]; }
ok "and the pool is empty" within 20 empty
ok "what was printed applies" nrdmactl apply "$tmp/printed.conf"
is "and gives what was" "$(state)" "$applied"

# ---- a device that appears gets its own section, and no other does ----

cp "$tmp/printed.conf" "$conf"
rmmod nrdma
is "unloaded: as before" "$(masks "$pci0") $(masks "$pci1")" "$before0 $before1"
modprobe nrdma
ok "one device" nrdmactl apply dev rxe_eth1
ok "has what the file says" every "$(masks "$pci1")" 2 3
is "the other has not" "$(policy_json rxe_eth0 .mode)" off
is "nor has the node" "$(nrdmactl -j pool show | jq '.[1].bytes')" 0
is "a device that the file does not name" "$(echo '[mlx5_7]
lock = on' >"$tmp/other.conf"; nrdmactl -j apply "$tmp/other.conf" dev rxe_eth0)" "[]"
refused "one that is not here" 'no RDMA device "nosuch"' nrdmactl apply dev nosuch
ok "all of it" nrdmactl apply
is "as it was" "$(state)" "$applied"

filled_again() { [ "$(nrdmactl -j pool show | jq '.[1].ready_bytes')" != 0 ]; }
ok "the pool has memory" within 20 filled_again
bad "a chunk while it has" "line 4: [node 1]: chunk: cannot change while the pool has memory" <<-CONF
	[rxe_eth1]
	policy = spread
	[node 1]
	chunk = 64K
CONF

# What cannot be known beforehand is said, and keeps nothing else from being done.
cat >"$tmp/late.conf" <<-CONF
	[rxe_eth0]
	node = 1
	policy = node 0
	exclude = 0-1
	[rxe_eth1]
	policy = spread
CONF
refused "a policy on a node that is set as well" "[rxe_eth0]: " nrdmactl apply "$tmp/late.conf"
is "the rest was done" "$(policy_json rxe_eth1 .mode)" spread

rm -r /etc/nrdma
is "unloads, and" "$(rmmod nrdma && masks "$pci0")" "$before0"
is "all is as it was" "$(masks "$pci1")" "$before1"
done_testing
