#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: snc
#
# Nodes of one CPU each: one thread is both ends of a probe, and both sides of a ping-pong.

# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

for op in write pingpong; do
	ok "$op: it measures" probe op $op rounds 1 iterations 20
	is "each node by its CPU" \
		"$(probed '.cells | map([.cpu_node, .cpu]) | unique | tojson')" "[[0,0],[1,1],[2,2],[3,3]]"
	is "memory of each node from each" \
		"$(probed '.cells | map(select(.rounds == 1 and .median > 0)) | length')" 16
done
done_testing
