#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 180
#
# The NIC's node is full: strict fails and names it; with remote allowed the rest
# comes from the other node, and that is shown.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

other=$((1 - node))
mib=$((1 << 20))
leak_check_begin
ulimit -l unlimited

# Somebody else has all but 160 MiB of it, and swap there is none
hog=$(($(node_free "$node") / 1024 - 160))
mkdir "$tmp/hog"
ok "the node is filled but for 160 MiB" mount -t tmpfs -o "size=${hog}M,mpol=bind:$node" hog "$tmp/hog"
ok "by a file" fallocate -l "${hog}M" "$tmp/hog/file"
free=$(node_free "$node")
echo "# node $node has $((free / 1024)) MiB free"

out=$(t-buf alloc "$chardev" $((256 * mib)))
is "strict: refused, with the node" \
	"$(word alloc "$out") $(word reason "$out") $(word node "$out")" "ENOMEM 1 $node"
available=$(word available "$out")
ok "and what is free there: $((available / mib)) MiB" \
	test $((available / mib)) -gt 64 -a $((available / mib)) -lt 200
is "by mmap as well" "$(t-buf map "$chardev" $((256 * mib)))" "mmap=ENOMEM"
is "nothing was taken elsewhere" "$(buf_json length)" 0
out=$(t-lib try "$dev" $((256 * mib)))
ok "the library says so: $out" grep -q "256 MiB on node $node wanted, but it has" <<<"$out"

out=$(t-buf alloc "$chardev" $((256 * mib)) remote)
near=$(word "node$node" "$out") far=$(word "node$other" "$out")
echo "# $out"
is "remote allowed: all of it" "$(word size "$out") $(word zero "$out")" "$((256 * mib)) 1"
is "each page is on a node, to the kernel" "$((${near:-0} + ${far:-0})) $(word unseen "$out")" "65536 0"
ok "some near, the rest far" test "${near:-0}" -gt 0 -a "${far:-0}" -gt 0

# What status shows is what the kernel sees of the same buffer
ok "a program holds such a buffer" hold remote t-lib hold "$dev" $((256 * mib)) remote
maps=$(grep dmabuf "/proc/${held[remote]}/numa_maps")
near=$(sed -n "s/.* N$node=\([0-9]*\).*/\1/p" <<<"$maps")
far=$(sed -n "s/.* N$other=\([0-9]*\).*/\1/p" <<<"$maps")
is "shown by node" "$(buf_json '[.[0].node_bytes[] | "\(.node) \(.bytes)"] | sort | join(",")')" \
	"$(printf '%s\n' "$node $((near * 4096))" "$other $((far * 4096))" | sort | paste -sd,)"
is "remote bytes" "$(buf_json '.[0].remote_bytes')" $((far * 4096))
is "and in the device's sum" "$(nrdmactl -j dev show "$dev" | jq '.[0].buf_remote_bytes')" $((far * 4096))
drop remote >/dev/null

# Another node's pool is not for those who may use this one's
ok "a pool there, for root" nrdmactl pool set node "$other" size 64M
ok "and one here, for his group" nrdmactl pool set node "$node" size 16M group 1000
pool_of() { nrdmactl -j pool show | jq ".[] | select(.node == $1).$2"; }
ready() { [ "$(pool_of "$other" ready_bytes)" = $((64 * mib)) ] && [ "$(pool_of "$node" ready_bytes)" = $((16 * mib)) ]; }
ok "both are filled" within 60 ready
ok "he has remote memory" hold remote as_user t-lib hold "$dev" $((256 * mib)) remote
is "of the pool here" "$(pool_of "$node" used_bytes)" $((16 * mib))
is "and none of that there" "$(pool_of "$other" used_bytes)" 0
drop remote >/dev/null
nrdmactl pool set node "$other" size 0 >/dev/null
nrdmactl pool set node "$node" size 0 group none >/dev/null

# A cpuset keeps remote memory away, from the workers that fill a buffer as well
mkdir /sys/fs/cgroup/near
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo "$node" >/sys/fs/cgroup/near/cpuset.mems
# shellcheck disable=SC2016 # expanded by that shell
out=$(sh -c 'echo $$ >/sys/fs/cgroup/near/cgroup.procs && exec "$@"' sh \
	t-buf alloc "$chardev" $((256 * mib)) remote)
is "remote allowed, but not by the cpuset: refused" \
	"$(word alloc "$out") $(word reason "$out") $(word node "$out")" "ENOMEM 1 $node"
rmdir /sys/fs/cgroup/near

umount "$tmp/hog"
is "with room again, strict is wholly near" \
	"$(word "node$node" "$(t-buf alloc "$chardev" $((256 * mib)))")" 65536

nothing_left
done_testing
