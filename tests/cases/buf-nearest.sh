#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: snc
# timeout: 240
#
# What the NIC's node has no room for comes from the node that is nearest to it, if remote
# memory is allowed at all.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

is "the NIC is on node 3, to which node 2 is nearest" \
	"$(nrdmactl -j dev show "$dev" | jq '.[0].mem_node') $(cat /sys/devices/system/node/node3/distance)" \
	"3 21 21 12 10"
echo 100 >/sys/module/nrdma/parameters/uid_cap
echo 100 >/sys/module/nrdma/parameters/node_cap
leak_check_begin
bytes=$(((free_before[3] << 10) + (64 << 20)))
out=$(t-buf alloc "$chardev" $bytes remote)
echo "# $out"
is "more than node 3 has" "$(word size "$out")" $bytes
ok "what is missing is from node 2" test "$(word node2 "$out")" -ge $(((64 << 20) / 4096))
is "and nothing from farther away" "$(word node0 "$out")$(word node1 "$out")" ""
nothing_left
done_testing
