#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: isolated
# parallel: yes
#
# A probe keeps off isolated CPUs unless it is told otherwise, and off those that
# are offline; one whose CPU goes meanwhile goes on.

# shellcheck disable=SC2317 # called through within
# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

ok "it measures" probe rounds 1 iterations 20
is "by the CPU that is not isolated" "$(probed '.cells | map(.cpu) | unique | tojson')" "[0]"
is "of the one node that has one" "$(probed '.cells | map(.cpu_node) | unique | tojson')" "[0]"
refused "a node of isolated CPUs" "isolated on" nrdmactl probe "$dev" cpu-node 1
ok "unless told otherwise" probe rounds 1 iterations 20 isolated on
is "then by those too" "$(probed '.cells | map(.cpu) | unique | tojson')" "[1,3]"

# ---- CPUs come and go ----

cpu() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }

cpu 3 0
ok "a CPU is offline" probe rounds 1 iterations 20 isolated on
is "the next one stands in" "$(probed '.cells | map(.cpu) | unique | tojson')" "[1,2]"
cpu 3 1
begin rounds 30 size 1M iterations 20 isolated on cpu-node 1 time 60
on_3() { grep -qx nrdma_probe/3 /proc/[0-9]*/comm 2>/dev/null; }
ok "a probe on it is under way" within 10 on_3
cpu 3 0
wait $reader
is "it goes on without" $? 0
ok "the rest is not measured" test "$(probed '.cells | map(.rounds) | max')" -lt 30
cpu 3 1

# ---- a real-time task on an isolated CPU, which nothing balances ----

read -r limit </proc/sys/kernel/sched_rt_runtime_us
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
chrt -f 50 taskset -c 3 bash -c 'while :; do :; done' &
hog=$!
in_time "the CPU is taken" isolated on cpu-node 1
kill -KILL $hog
wait $hog 2>/dev/null
echo "$limit" >/proc/sys/kernel/sched_rt_runtime_us

done_testing
