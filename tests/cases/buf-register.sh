#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
# rdma: both
# timeout: 240
#
# Buffers are memory like any other: ibv_reg_mr takes the whole, an unaligned part
# and the last page, RDMA WRITE and READ over it carry what they should, O_DIRECT
# works. On rxe and on siw.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

# tap NAME COMMAND...: a program that prints TAP, all of which holds
tap() {
	local name=$1 status
	shift
	"$@" >"$tmp/tap"
	status=$?
	sed 's/^/# /' "$tmp/tap"
	is "$name: status" "$status" 0
	ok "$name: to its end" grep -q '^1\.\.[1-9]' "$tmp/tap"
}

registers() {
	local dev=$1 bytes out
	used=/dev/nrdma/$dev
	echo "# $dev, at $ip"
	tap "$dev: 8 MiB and some" timeout 60 t-rdma "/dev/nrdma/$dev" "$ip"
	tap "$dev: three pages" timeout 60 t-rdma "/dev/nrdma/$dev" "$ip" 262144
	tap "$dev: 64 MiB" timeout 60 t-rdma "/dev/nrdma/$dev" "$ip" $((64 << 20))
	ok "$dev: a process becomes another program" \
		hold execs t-rdma "/dev/nrdma/$dev" "$ip" 262144 sh -c 'echo ready; exec cat'
	ok "$dev: and has no buffer" within 10 unused
	is "$dev: none is listed" "$(buf_json length)" 0
	drop execs >"$tmp/tap"
	ok "$dev: though it used them all" grep -q '^1\.\.[1-9]' "$tmp/tap"
	for bytes in $(((8 << 20) + 12288)) 4096; do
		out=$(t-buf map "/dev/nrdma/$dev" "$bytes")
		is "$dev: the kernel sees $bytes bytes on node $node" \
			"$(word bytes "$out") $(word "node$node" "$out") $(word unseen "$out")" \
			"$bytes $((bytes / 4096)) 0"
	done
}

ulimit -l unlimited
# One RDMA device at an address, or the connection manager picks any
[ ! -d /sys/class/infiniband/siw_eth1 ] || rdma link delete siw_eth1
# What the kernel loads once, for whoever comes first, is not ours to give back
modprobe -a rdma_ucm loop ext4
leak_check_begin
registers "$dev"
if [ -d /sys/module/siw ]; then
	rdma link delete "$dev"
	rdma link add siw_eth1 type siw netdev "$netdev"
	within 10 test -c /dev/nrdma/siw_eth1
	within 10 grep -q ACTIVE /sys/class/infiniband/siw_eth1/ports/1/state
	registers siw_eth1
fi

truncate -s 64M "$tmp/disk"
mkfs.ext4 -q "$tmp/disk"
mkdir "$tmp/mnt"
ok "a disk filesystem" mount -o loop "$tmp/disk" "$tmp/mnt"
tap "O_DIRECT" t-buf-offsets "$used" "$tmp/mnt/file"
ok "unmounted" umount "$tmp/mnt"
rm "$tmp/disk"
[ -d "/sys/class/infiniband/$dev" ] || add_rxe

nothing_left
done_testing
