#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# rdma: siw
#
# A probe that cannot get on: nobody answers its TCP connection, or a real-time task
# has its CPU to itself. It ends with its time all the same, with its reader, and with
# its device.

# shellcheck source=tests/cases/lib/probe.sh
export NRDMA_DEV=${NRDMA_DEV:-siw_eth1}
. "$(dirname "$0")/lib/probe.sh"

modprobe -a sch_ingress cls_matchall act_gact 2>/dev/null || skip_all "no packet can be dropped here"
leak_check_begin
before=$(resources)

# ends WHAT: three ways
ends() {
	in_time "$1" cpu-node 1
	begin rounds 1 time 60 cpu-node 1
	ok "another one is under way" within 10 running
	kill -KILL $reader
	ok "it ends with its reader" within 10 unused
	begin rounds 1 time 60 cpu-node 1
	ok "another one is under way" within 10 running
	ok "the device is removed meanwhile" timeout 5 rdma link delete "$dev"
	wait $reader
	is "the reader is told" $? 2
	like "in words" "$(cat "$tmp/probe.err")" "the RDMA device was removed"
	ok "it comes back" rdma link add "$dev" type siw netdev "$netdev"
	ok "and works" within 10 grep -q ACTIVE "/sys/class/infiniband/$dev/ports/1/state"
	nothing_of_probe "$before"
}

ok "packets to oneself are dropped" tc qdisc add dev lo clsact
tc filter add dev lo ingress protocol ip matchall action drop
ends "nobody answers"
tc qdisc del dev lo clsact
ok "it can be measured when they are not" probe rounds 1

# The last CPU of the node, which is the one that is measured by
read -r limit </proc/sys/kernel/sched_rt_runtime_us
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
cpu=$(probed '.cells[-1].cpu')
chrt -f 50 taskset -c "$cpu" bash -c 'while :; do :; done' &
hog=$!
ends "the CPU is taken"
kill -KILL $hog
wait $hog 2>/dev/null
echo "$limit" >/proc/sys/kernel/sched_rt_runtime_us
ok "it can be measured when it is not" probe rounds 1

nothing_left
done_testing
