#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 300
#
# Sums: what buffers and pools are said to have is what the nodes have lost, by the
# kernel's own count, and what nodes, devices, users and processes have adds up to
# the same, with orphans, buffers that only a socket holds and lingering ones.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))
other=$((1 - node))
slack=$((8 * mib))
leak_check_begin
ulimit -l unlimited

pool_of() { nrdmactl -j pool show | jq ".[] | select(.node == $1).$2"; }
sum() { buf_json "[.[] | $1] | add // 0"; }
sum_on() { buf_json "[.[].node_bytes[] | select(.node == $1).bytes] | add // 0"; }
ready() { [ "$(pool_of "$node" ready_bytes)" = $((64 * mib)) ]; }

ok "a pool of 64 MiB" nrdmactl pool set node "$node" size 64M
ok "is filled" within 60 ready
ok "root has 32 MiB of it" hold warm t-buf hold "$chardev" $((32 * mib))
ok "a user has 64 MiB that are not" hold user as_user t-buf hold "$chardev" $((64 * mib))
ok "and 40 MiB by the other device" hold far as_user t-buf hold /dev/nrdma/rxe_eth0 $((40 * mib))
ok "16 MiB are in a socket" hold passed as_user t-pass "$chardev" $((16 * mib))
ok "a registration keeps 8 MiB that were freed" hold linger t-linger "$dev" "$chardev" $((8 * mib)) 1
ok "others by the other device as well" hold lib t-lib hold rxe_eth0 $((24 * mib + 4096))

# adds_up: of nodes and users, from the list
adds_up() {
	local n lost said
	for n in "$node" "$other"; do
		is "node $n: the list and the node say the same" "$(sum_on "$n")" "$(pool_of "$n" buf_bytes)"
		settle
		lost=$(((free_before[$n] - $(node_free "$n")) * 1024))
		said=$(nrdmactl -j pool show | jq ".[] | select(.node == $n) | .ready_bytes + .dirty_bytes + .buf_bytes")
		ok "node $n: $((lost >> 10)) KiB are gone, $((said >> 10)) KiB are accounted for" \
			test $((lost - said)) -lt $slack -a $((said - lost)) -lt $slack
	done
	is "of the user" "$(sum 'select(.uid == 1000).bytes')" $((120 * mib))
	is "of root" "$(sum 'select(.uid == 0).bytes')" "$1"
	is "of both: all" "$(sum .bytes)" $((120 * mib + $1))
}
root=$((64 * mib + 4096))
adds_up $root
is "of the device: those that are not lingering" "$(nrdmactl -j dev show "$dev" | jq '.[0] | [.buf_count, .buf_bytes] | @csv' -r)" \
	"3,$((112 * mib))"
is "of the other" "$(nrdmactl -j dev show rxe_eth0 | jq '.[0] | [.buf_count, .buf_bytes] | @csv' -r)" \
	"2,$((64 * mib + 4096))"
for p in warm user far lib; do
	pages=$(grep dmabuf "/proc/${held[$p]}/numa_maps" | grep -o 'N[0-9]*=[0-9]*' |
		awk -F= '{ n += $2 } END { print n }')
	is "of process $p: what the kernel has mapped into it" "$(sum "select(.pid == ${held[$p]}).bytes")" $((pages * 4096))
done
is "what came from the pool is charged to no memory cgroup" \
	"$(sum 'select(.warm_bytes > 0).uncharged_bytes')" $((32 * mib))
is "which is what the pool says" "$(pool_of "$node" used_bytes)" $((32 * mib))

# 5.10 can charge nothing; then it must be told so
mkdir /sys/fs/cgroup/charged
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
# shellcheck disable=SC2016 # expanded by that shell
ok "48 MiB in a memory cgroup" hold cg sh -c \
	'echo $$ >/sys/fs/cgroup/charged/cgroup.procs; exec t-buf "$@"' sh \
	hold "$chardev" $((48 * mib))
uncharged=$(sum "select(.pid == ${held[cg]}).uncharged_bytes")
charged=$((48 * mib - uncharged)) current=$(cat /sys/fs/cgroup/charged/memory.current)
ok "$((charged >> 20)) MiB are said to be charged, it has $((current >> 10)) KiB" \
	test "$current" -ge "$charged" -a "$current" -lt $((charged + 16 * mib))
drop cg >/dev/null
rmdir /sys/fs/cgroup/charged

none() { [ "$(sum "$1")" = 0 ]; }
is "8 MiB are lingering" "$(sum 'select(.lingering).bytes')" $((8 * mib))
drop linger >/dev/null
ok "until the registration ends" within 15 none 'select(.lingering).bytes'
ok "the device goes" timeout 5 rdma link delete "$dev"
is "its buffers are orphans" "$(sum 'select(.orphan).bytes')" $((112 * mib))
adds_up $((root - 8 * mib))
for p in warm user far passed lib; do
	drop $p >/dev/null
done
ok "all are gone" within 15 none .bytes
is "from the nodes' sums too" "$(nrdmactl -j pool show | jq 'map(.buf_bytes) | add')" 0
ok "back to no pool" nrdmactl pool set node "$node" size 0
ok "the device comes back" add_rxe
ok "nobody waits for another's lock to get back what he was charged" \
	t-memlock "$chardev"
ok "a process keeps its own" hold keeper t-memlock "$chardev" keep
ok "which unloading does not wait for" timeout 30 rmmod nrdma
is "and says so" "$(dmesg | grep -c 'nrdma: 1 pages stay locked')" 1
ok "it has kept it" drop keeper
modprobe nrdma

nothing_left
done_testing
