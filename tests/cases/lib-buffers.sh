#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 240
#
# libnrdma: names, memory and where it lies, what mappings stand, sharing,
# threads; and its example, between two processes.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin

t-lib all "$dev" "$netdev" "$pci" "$node" >"$tmp/all"
status=$?
sed 's/^/# /' "$tmp/all"
is "t-lib all" "$status" 0
is "every check of it holds" "$(grep -c '^not ok' "$tmp/all")" 0
ok "and it came to its end" grep -q '^1\.\.[1-9]' "$tmp/all"

is "affinity: what the node has" "$(t-lib bind "$dev" | grep -c "^bound node=$node")" 1
cpu=$(cut -d- -f2 "/sys/devices/system/node/node$node/cpulist")
is "of what taskset left, one CPU" "$(taskset -c "0,$cpu" t-lib bind "$dev")" \
	"bound node=$node cpus=$cpu,"
ok "none of what taskset left" taskset -c 0 sh -c "t-lib bind $dev | grep '^EPERM node=-1 cpus=0, '"

rdma-write >"$tmp/server" &
server=$!
ok "the example listens" within 10 grep -q listening "$tmp/server"
ok "its client writes" timeout 200 rdma-write "$ip"
within 30 sh -c "! kill -0 $server" 2>/dev/null || kill "$server"
wait "$server"
is "the server's status" "$?" 0
ok "all that was written has come" grep -q '^67108864 of 67108864 bytes arrived' "$tmp/server"
ok "and lies on the NIC's node" grep -q "67108864 of 67108864 bytes on node $node" "$tmp/server"

nothing_left
done_testing
