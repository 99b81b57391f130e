#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# rdma: siw
# timeout: 600
#
# The same through the connection manager, without which iWARP does not connect.

export NRDMA_DEV=${NRDMA_DEV:-siw_eth1}
# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

leak_check_begin
before=$(resources)

ok "it measures" probe rounds 2
is "memory of each node by a CPU of each" \
	"$(probed '.cells | map([.mem_node, .cpu_node]) | tojson')" "[[0,0],[0,1],[1,0],[1,1]]"
is "a software device" "$(probed .software)" true
moves_data write read send pingpong

nothing_of_probe "$before"

nothing_left
done_testing
