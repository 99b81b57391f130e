#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# nrdmactl run: CPUs and memory of the device's node, as far as one may have
# them, and env(1)'s exit statuses.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

# show DEV FIELD: of numactl --show, in a command that run started
show() { nrdmactl run "$1" -- numactl --show | sed -n "s/^$2: *\(.*[^ ]\) *$/\1/p"; }
cpus_of='s/^Cpus_allowed_list:[[:space:]]*//p'
allowed() { nrdmactl run "$1" -- sed -n "$cpus_of" /proc/self/status; }

# status COMMAND...: its exit status, what it says into $tmp/err
status() {
	"$@" >/dev/null 2>"$tmp/err"
	echo $?
}

both() {
	for n in 0 1; do
		cpus=$(cat /sys/devices/system/node/node$n/cpulist)
		is "$1: rxe_eth$n: CPUs" "$(allowed rxe_eth$n)" "$cpus"
		is "$1: rxe_eth$n: policy" "$(show rxe_eth$n policy)" bind
		is "$1: rxe_eth$n: memory" "$(show rxe_eth$n membind)" $n
	done
	is "$1: pages lie there" \
		"$(nrdmactl run rxe_eth1 -- sh -c 'head -c 8M /dev/zero | tail -c 8M >/dev/null; grep -c "bind:1" /proc/self/numa_maps' | sed 's/^[1-9][0-9]*$/some/')" some
}

both "with the module"

is "the command's status" "$(status nrdmactl run eth1 -- sh -c 'exit 7')" 7
is "its words are its own" "$(nrdmactl run rxe_eth1 -- printf '%s ' -j -- lock)" "-j -- lock "
is "not found" "$(status nrdmactl run rxe_eth1 -- nosuch)" 127
is "not to be executed" "$(status nrdmactl run rxe_eth1 -- /etc/passwd)" 126
is "no command" "$(status nrdmactl run rxe_eth1 --)" 125
is "no device" "$(status nrdmactl run nosuch -- true)" 125

is "CPUs that one may not use" "$(status taskset -c 0 nrdmactl run rxe_eth1 -- true)" 125
ok "are named" grep -qF "may use CPUs 0 only, the device's node 1 has 2-3" "$tmp/err"
is "those that one may" "$(taskset -c 0,3 nrdmactl run rxe_eth1 -- sed -n "$cpus_of" /proc/self/status)" 3

# A cpuset without the device's node
mkdir -p /sys/fs/cgroup
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/far
echo 0 >/sys/fs/cgroup/far/cpuset.mems
is "a cpuset without the node" \
	"$(status sh -c 'echo $$ >/sys/fs/cgroup/far/cgroup.procs; exec nrdmactl run rxe_eth1 -- true')" 125
ok "is named" grep -qF "node 1 is not among the memory nodes" "$tmp/err"
is "check fails" \
	"$(status sh -c 'echo $$ >/sys/fs/cgroup/far/cgroup.procs; exec nrdmactl check rxe_eth1 only cpuset')" 3
is "and not for the other device" \
	"$(status sh -c 'echo $$ >/sys/fs/cgroup/far/cgroup.procs; exec nrdmactl check rxe_eth0 only cpuset')" 0
rmdir /sys/fs/cgroup/far

nrdmactl dev set rxe_eth0 node 1 >/dev/null
is "an override counts" "$(allowed rxe_eth0) $(show rxe_eth0 membind)" "2-3 1"
nrdmactl dev set rxe_eth0 node auto >/dev/null

ip link add name none0 type dummy
ip link set none0 up
rdma link add virt type rxe netdev none0
is "a node that is not known" "$(status nrdmactl run virt -- true)" 125
ok "is named" grep -qF "node is not known (virtual)" "$tmp/err"
rdma link delete virt
ip link delete none0

rmmod nrdma
both "without the module"
is "and not a word" "$(nrdmactl run rxe_eth1 -- true 2>&1)" ""

done_testing
