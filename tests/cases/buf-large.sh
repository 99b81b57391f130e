#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: large-node
# timeout: 240
#
# Sizes and offsets of more than 32 bits.

NRDMA_DEV=${NRDMA_DEV:-rxe_eth0} NRDMA_NETDEV=${NRDMA_NETDEV:-eth0}
# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin
ulimit -l unlimited
ok "caps out of the way" nrdmactl pool set node "$node" cap 6G

bytes=$(((5 << 30) + 4096))
t-buf-offsets "$chardev" far $bytes >"$tmp/tap"
status=$?
sed 's/^/# /' "$tmp/tap"
is "5 GiB and a page: status" "$status" 0
ok "to its end" grep -q '^1\.\.[1-9]' "$tmp/tap"

ok "a program holds it, and has filled it" hold large t-lib hold "$dev" $bytes
is "its size is told in full" "$(buf_json '.[0].bytes')" "$bytes"
is "all of it on node $node, to the kernel" \
	"$(grep dmabuf "/proc/${held[large]}/numa_maps" | grep -o 'N[0-9]*=[0-9]*' | paste -sd' ')" \
	"N$node=$((bytes / 4096))"
is "and to nrdma" "$(buf_json '.[0].node_bytes | map("\(.node) \(.bytes)") | join(",")')" "$node $bytes"
ok "its data is what it was" drop large

nothing_left
done_testing
