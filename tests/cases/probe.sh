#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
# timeout: 200
#
# Every cell is measured, by each operation; what cannot be measured is refused; a probe
# ends with its reader or its device, and nothing of it is left. Other sizes: probe-sizes.

# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

leak_check_begin
before=$(resources)

# ---- the matrix ----

ok "it measures" probe rounds 2
is "memory of each node by a CPU of each" \
	"$(probed '.cells | map([.mem_node, .cpu_node]) | tojson')" "[[0,0],[0,1],[1,0],[1,1]]"
is "the CPU is one of the node" "$(probed '.cells | map(.cpu) | tojson')" "[1,3,1,3]"
is "each twice" "$(probed '.cells | map(.rounds) | unique | tojson') $(probed .rounds)" "[2] 2"
is "latency and bandwidth of each" "$(probed '.cells | map(select(.min > 0 and .min <= .median and
	.median <= .p99 and .median_low <= .median and .median <= .median_high and .rate > 0)) | length')" 4
is "the fastest is the measure of all" "$(probed '.cells | map(.ratio) | min')" 1
is "two rounds decide nothing" "$(probed .verdict.word)" inconclusive
is "a software device" "$(probed .software)" true
nrdmactl probe "$dev" rounds 1 iterations 10 >"$tmp/text"
like "which is said" "$(cat "$tmp/text")" "the CPU moves the data, so this says nothing about a NIC"
is "in words: a heading, a table of two rows, and no more" "$(sed -E 's/ *[0-9.]+ [nmu]?s +[0-9.]+x//g; s/ +/ /g' "$tmp/text" | head -n 4)" \
	"$(printf '%s\n' "$dev: write of 64 bytes, latency, 1 round" " CPU ON NODE 0 CPU ON NODE 1" \
		"memory on node 0" "memory on node 1")"
ok "a node each" probe rounds 1 mem-node 0 cpu-node 1
is "and no other" "$(probed '.cells | map([.mem_node, .cpu_node]) | tojson')" "[[0,1]]"
ok "a port" nrdmactl probe "$dev/1" rounds 1 iterations 10
ok "for a second" probe rounds 1000 time 1
ok "with as many rounds as it allows" test "$(probed .rounds)" -lt 1000

begun=$SECONDS
nrdmactl -j probe "$dev" svg "$tmp/svg" time 1 >"$tmp/probe" 2>"$tmp/probe.err"
is "all sizes in a second: not all of them" $? 4
ok "it is over soon" test $((SECONDS - begun)) -le 10
like "how many there are is said" "$(cat "$tmp/probe.err")" "the time is over: [1-7] of 8 sizes were measured"
ok "and drawn" grep -q '</svg>' "$tmp/svg"

moves_data 4093

# ---- refusals ----

refused "a size that is too small" "(attribute size): 8 to 4194304" nrdmactl probe "$dev" size 7
refused "one that is too large" "(attribute size)" nrdmactl probe "$dev" size 5M
refused "no iterations" "(attribute iterations)" nrdmactl probe "$dev" iterations 0
refused "no rounds" "(attribute rounds)" nrdmactl probe "$dev" rounds 0
refused "too long" "(attribute time): 1 to 60" nrdmactl probe "$dev" time 61
refused "memory of no node" "no such node has memory" nrdmactl probe "$dev" mem-node 9
refused "a CPU of no node" "no such node is online" nrdmactl probe "$dev" cpu-node 9
refused "a user" "needs CAP_NET_ADMIN" as_user nrdmactl probe "$dev"
refused "root of a namespace of his own" "needs CAP_NET_ADMIN" as_user unshare -Urn nrdmactl probe "$dev"
ip link set "$netdev" down
refused "a port that is down" "the port is not active" nrdmactl probe "$dev"
ip link set "$netdev" up
ok "it is up again" within 10 active "$dev"

ip addr add 10.0.1.2/24 dev "$netdev"
ok "with two addresses it takes one" probe rounds 1 iterations 10
ip addr del 10.0.1.2/24 dev "$netdev"

# ---- one at a time, and its end ----

begin rounds 1000 time 60
ok "a probe is under way" within 10 running
refused "another one is not" "another probe of the device is under way" nrdmactl probe "$dev"
ok "of another device it is" nrdmactl probe rxe_eth0 rounds 1 iterations 10
ok "the module cannot go meanwhile" fails rmmod nrdma
kill -KILL $reader
wait $reader 2>/dev/null
ok "it ends with its reader" within 10 unused
nothing_of_probe "$before"
ok "and another one can be made" probe rounds 1

# ---- the device goes ----

begin rounds 1000 time 60 size 4M
ok "a probe is under way" within 10 running
cd /sys/kernel/tracing || exit
echo 64 >buffer_size_kb
echo nrdma_client_remove >set_ftrace_filter
echo function_graph >current_tracer
rdma link delete "$dev"
is "the device is removed meanwhile" $? 0
us=$(sed -nE 's/.* ([0-9]+)(\.[0-9]+)? us .*nrdma_client_remove.*/\1/p' trace)
echo nop >current_tracer
echo >set_ftrace_filter
cd /
limit=1000000
# Where it may be in the midst of comparing 4 MiB
! on_debug || limit=$((10 * limit))
ok "nrdma is through with it in ${us:-?} us" test "${us:-$limit}" -lt $limit
wait $reader
is "the reader is told" $? 2
like "in words" "$(cat "$tmp/probe.err")" "the RDMA device was removed"
ok "it comes back" add_rxe
ok "and can be measured" probe rounds 1
nothing_of_probe "$before"

nothing_left
done_testing
