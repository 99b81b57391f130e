#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_importer
# kernels: debug
# timeout: 900
#
# For each thing that can be asked of the module, each of its allocations fails in
# turn: the error is the right one, nothing is half done, nothing is left, and the
# next try succeeds. See tests/bin/t-fail.c.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

# each ARGUMENT...: of t-fail; its checks are told, and count as one
each() {
	local status
	t-fail "$@" >"$tmp/fail" 2>&1
	status=$?
	sed 's/^/# /' "$tmp/fail"
	ok "t-fail $*: to its end" grep -q '^1\.\.[1-9]' "$tmp/fail"
	is "each fault as it should be" "$status $(grep -c '^not ok' "$tmp/fail")" "0 0"
}

ip link add faild0 type dummy
ip link set faild0 up
leak_check_begin
# Somebody listens, so that there is somebody to tell
nrdmactl -j monitor >"$tmp/events" 2>&1 &
monitor=$!
modprobe nrdma_importer || bail "no nrdma_importer"
each "$dev" faild0
rmmod nrdma_importer

# The device of a function that is steered comes back
ok "steer $dev" nrdmactl irq set "$dev" policy local lock on
rdma link delete "$dev"
each rxe_eth0 "$netdev" device
ok "$dev comes back" add_rxe
ok "and is steered still" test "$(policy_json "$dev" .mode)" = local
ok "restored" nrdmactl irq restore "$dev"

kill $monitor
wait $monitor 2>/dev/null
is "nobody has a buffer" "$(buf_json length)" 0
ok "it unloads" rmmod nrdma
each load "/lib/modules/$(uname -r)/updates/nrdma.ko"
ok "and loads in the end" modprobe nrdma

ip link delete faild0
nothing_left
done_testing
