#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: no-node
#
# A machine without NUMA: libnrdma says "unknown", which is not node 0, and
# buffers come from a node that is named.

# shellcheck disable=SC2034 # for lib/buf.sh
NRDMA_DEV=${NRDMA_DEV:-rxe_eth0} NRDMA_NETDEV=${NRDMA_NETDEV:-eth0}
# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin

is "the kernel knows no node" "$node" -1
ok "no buffer without one" sh -c "t-lib try $dev 4096 | grep '^ENXIO reason=node unknown node=-1'"
ok "which is said, with the remedy" sh -c "t-lib try $dev 4096 | grep 'nrdmactl dev set $dev node N'"
ok "a buffer of a node that is named" t-lib try "$dev" 4096 node 0
ok "no thread is bound" sh -c "t-lib bind $dev | grep '^ENXIO node=-1'"
ok "after the remedy there is one" nrdmactl dev set "$dev" node 0
ok "buffers come from it" t-lib try "$dev" 4096
ok "threads are bound to it" sh -c "t-lib bind $dev | grep '^bound node=0'"

nothing_left
done_testing
