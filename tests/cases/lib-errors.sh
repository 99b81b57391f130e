#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# What libnrdma says when something cannot be done: node, size, limit, remedy.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin

# says NAME WORDS COMMAND...: it fails, and these words are in what it says
says() {
	local name=$1 words=$2
	shift 2
	ok "$name" says_words "$words" "$@"
}

says_words() {
	local words=$1
	shift
	! "$@" >"$tmp/says" || return 1
	cat "$tmp/says"
	grep -qF -- "$words" "$tmp/says"
}

mib() { echo $(($1 << 20)); }

says "no such device" "ENODEV reason=no reason node=-1 limit=0: nowhere is no RDMA device" \
	t-lib try nowhere 4096
says "over the node's memory" "ENOMEM reason=node full node=$node" t-lib try "$dev" "$(mib 100000)"
says "which names size and node" "97.65 GiB on node $node wanted, but it has" \
	t-lib try "$dev" "$(mib 100000)"
says "and how much is free" "iB free (NRDMA_ALLOC_REMOTE would" t-lib try "$dev" "$(mib 100000)" node 0
says "no such node" "EINVAL reason=node absent or without memory node=7" \
	t-lib try "$dev" 4096 node 7
says "a chunk that is no power of two" "EINVAL" t-lib try "$dev" 4096 min 4097
ok "another node, when asked for" t-lib try "$dev" 4096 node 0
ok "chunks of 64 KiB" t-lib try "$dev" 100000 min 65536

# What Debian gives a user; the kernel itself gave 64 KiB up to 5.15
ulimit -l 8192
says "over RLIMIT_MEMLOCK" "ENOMEM reason=over RLIMIT_MEMLOCK node=$node limit=8388608" \
	as_user t-lib try "$dev" "$(mib 9)"
says "which names limit and use" \
	"9 MiB wanted, but this process may lock 8 MiB (RLIMIT_MEMLOCK) and has locked 0 bytes" \
	as_user t-lib try "$dev" "$(mib 9)"
for words in 'ulimit -l unlimited' LimitMEMLOCK=infinity '--ulimit memlock=-1:-1'; do
	says "and a remedy: $words" "$words" as_user t-lib try "$dev" "$(mib 9)"
done
says "64 KiB" "may lock 64 KiB" as_user prlimit --memlock=65536 t-lib try "$dev" 65537
ok "within it" as_user prlimit --memlock=65536 t-lib try "$dev" 65536
ok "after the remedy" sh -c 'ulimit -l unlimited && exec "$@"' sh \
	setpriv --reuid 1000 --regid 1000 --clear-groups t-lib try "$dev" "$(mib 9)"

says "over the cap" "nrdmactl pool set node $node cap SIZE" t-lib try "$dev" "$(mib 900)"
nrdmactl pool set node "$node" cap 1000M >/dev/null
ok "after the remedy" t-lib try "$dev" "$(mib 900)"

says "from a pool that is not there" "from the pool of node $node wanted (NRDMA_ALLOC_POOL_ONLY), but it has 0 bytes" t-lib try "$dev" 4096 pool
nrdmactl pool set node "$node" size 64M >/dev/null
filled() { [ "$(nrdmactl -j pool show | jq ".[] | select(.node == $node) | .ready_bytes")" = $((64 << 20)) ]; }
ok "after the remedy there is one" within 20 filled
is "which gives what was asked for, warm" "$(t-lib try "$dev" "$(mib 5)" pool)" \
	"ok size=$(mib 6) warm=$(mib 6)"
says "not to a user" "that takes CAP_IPC_LOCK or the pool's group" as_user t-lib try "$dev" 4096 pool
nrdmactl pool set node "$node" size 0 >/dev/null

mkdir /sys/fs/cgroup/small
echo "+memory +cpuset" >/sys/fs/cgroup/cgroup.subtree_control
in_cgroup() { sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs && exec "$@"' sh "$@"; }
ok "within the memory cgroup" hold charged in_cgroup t-lib hold "$dev" "$(mib 8)"
uncharged=$(buf_json '.[0].uncharged_bytes')
drop charged >/dev/null
echo 32M >/sys/fs/cgroup/small/memory.max
if [ "$uncharged" = 0 ]; then
	says "over the memory cgroup" "ENOMEM reason=refused by the memory cgroup" \
		in_cgroup t-lib try "$dev" "$(mib 64)"
	says "which it names" "(/small) has no room" in_cgroup t-lib try "$dev" "$(mib 64)"
	is "and no OOM killer comes" "$(grep -c '^oom.* [1-9]' /sys/fs/cgroup/small/memory.events)" 0
else
	skip "buffers are charged to no memory cgroup here" "over the memory cgroup"
fi
ok "8 MiB are within it" in_cgroup t-lib try "$dev" "$(mib 8)"
echo max >/sys/fs/cgroup/small/memory.max
echo 0 >/sys/fs/cgroup/small/cpuset.mems
says "outside the cpuset" "ENOMEM reason=node outside the cpuset node=$node" \
	in_cgroup t-lib try "$dev" 4096
says "which names what is allowed" "allows memory of node 0 only" in_cgroup t-lib try "$dev" 4096
rmdir /sys/fs/cgroup/small

chmod 0600 "$chardev"
says "no permission" "$chardev may not be opened" as_user t-lib try "$dev" 4096
chmod 0666 "$chardev"
mv "$chardev" /dev/nrdma/away
says "no device node" "--device $chardev" t-lib try "$dev" 4096
# The name of another device, as it were of another namespace
mv /dev/nrdma/rxe_eth0 "$chardev"
says "another device's node" "ENODEV" t-lib try "$dev" 4096
mv /dev/nrdma/away "$chardev@7"
ok "the second of a name" t-lib try "$dev" 4096
mv "$chardev" /dev/nrdma/rxe_eth0
mv "$chardev@7" "$chardev"

nothing_left
says "no module" "the module nrdma is not loaded: modprobe nrdma" t-lib try "$dev" 4096
done_testing
