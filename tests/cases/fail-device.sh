#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: debug
# timeout: 1800
#
# A device comes, is renamed and goes while each of the module's allocations fails in
# turn, and so does one of a function that is steered. See tests/bin/t-fail.c.

# shellcheck source=tests/cases/lib/fail.sh
. "$(dirname "$0")/lib/fail.sh"

ip link add faild0 type dummy
ip link set faild0 up
leak_check_begin
listen
each "$dev" faild0 device

ok "steer $dev" nrdmactl irq set "$dev" policy local lock on
rdma link delete "$dev"
each rxe_eth0 "$netdev" device
ok "$dev comes back" add_rxe
ok "and is steered still" test "$(policy_json "$dev" .mode)" = local
ok "restored" nrdmactl irq restore "$dev"

listen_no_more
ip link delete faild0
nothing_left
done_testing
