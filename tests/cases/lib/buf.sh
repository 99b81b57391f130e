# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used by those who source it
#
# For the cases about buffers; run inside the guest. Where pages lie is asked of
# the kernel (move_pages, numa_maps, meminfo), not of nrdma.

# shellcheck source=tests/cases/lib/irq.sh
. "${BASH_SOURCE[0]%/*}/irq.sh"

dev=${NRDMA_DEV:-rxe_eth1}
netdev=${NRDMA_NETDEV:-eth1}
chardev=/dev/nrdma/$dev
pci=$(pci_of "$netdev")
node=$(cat "/sys/bus/pci/devices/$pci/numa_node")
addr=$(ip -4 -o addr show dev "$netdev" | sed -n 's/.* inet \([^ ]*\).*/\1/p')
ip=${addr%/*}

# word KEY LINE...: the value of KEY=value in what a test program printed
word() { tr ' ' '\n' <<<"${*:2}" | sed -n "s/^$1=//p"; }

# gid_of DEV: index of its GID that is an IPv4 address, for perftest's -x
gid_of() {
	local d=/sys/class/infiniband/$1/ports/1/gids i
	for i in "$d"/*; do
		grep -q '^0000:0000:0000:0000:0000:ffff:' "$i" 2>/dev/null && echo "${i##*/}" && break
	done
}

# as_user COMMAND...: without any capability, as uid 1000
as_user() { setpriv --reuid 1000 --regid 1000 --clear-groups "$@"; }

# hold NAME COMMAND...: runs it in the background until drop NAME; it reads its
# standard input until then, and has said "ready" when this returns, however long that
# takes; it fails when it ended instead. The other end of its input is a process of its
# own: what else runs would inherit a descriptor.
declare -A held held_by
hold() {
	local name=$1
	shift
	mkfifo "$tmp/$name.in"
	# Not what one of this name has said before
	: >"$tmp/$name.out"
	sleep infinity >"$tmp/$name.in" &
	held_by[$name]=$!
	"$@" <"$tmp/$name.in" >"$tmp/$name.out" 2>&1 &
	held[$name]=$!
	until said "$name" ready; do
		sleep 0.1
	done
	grep -q ready "$tmp/$name.out" || { cat "$tmp/$name.out"; return 1; }
}

# said NAME WORD: what hold started has said it, or has ended
said() { grep -q "$2" "$tmp/$1.out" || ! kill -0 "${held[$1]}" 2>/dev/null; }

# drop NAME: lets it go on to its end, prints what it said; its status. Not for a
# subshell, $(...), whose child it is not.
drop() {
	local status
	kill -PIPE "${held_by[$1]}"
	wait "${held_by[$1]}" 2>/dev/null
	wait "${held[$1]}"
	status=$?
	cat "$tmp/$1.out"
	rm "$tmp/$1.in"
	unset "held[$1]" "held_by[$1]"
	return $status
}

# active DEV: its port is up, and its GIDs are there
active() { grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state" && [ -n "$(gid_of "$1")" ]; }

# add_rxe: the device as it was before the case
add_rxe() {
	rdma link add "$dev" type rxe netdev "$netdev" || return
	within 10 active "$dev"
}

# ---- what is there ----

buf_json() { nrdmactl -j buf show | jq -r "$1"; }
nodes() { tr , '\n' </sys/devices/system/node/has_memory | awk -F- '{ for (n = $1; n <= $NF; n++) print n }'; }

# node_free NODE: KiB that are free, those in the lists of each CPU as well
node_free() {
	awk -v node="$1," '
		$1 == "Node" { mine = $2 == node }
		mine && ($1 == "pages" && $2 == "free" || $1 == "count:") { sum += $NF }
		END { print sum * 4 }' /proc/zoneinfo
}

settle() {
	local f
	sync
	echo 3 >/proc/sys/vm/drop_caches
	# Free slabs, and with KASAN freed objects that it keeps to see them used
	for f in /sys/kernel/slab/*/shrink; do
		echo 1 >"$f"
	done
	echo 1 >/proc/sys/vm/compact_memory
}

declare -A free_before
leak_check_begin() {
	local n
	settle
	for n in $(nodes); do
		free_before[$n]=$(node_free "$n")
	done
}

# Other things of the kernel grow and shrink meanwhile, and move from node to node;
# buffers are larger.
leak_slack=${leak_slack:-6144}
# KASAN keeps what was freed for a while, and kmemleak a record of what was not.
! on_debug || leak_slack=$((leak_slack * 4))

free_again() {
	local n lost=0
	settle
	for n in $(nodes); do
		lost=$((lost + free_before[$n] - $(node_free "$n")))
	done
	[ $lost -lt "$leak_slack" ]
}

# objects: "CACHE:CALLER NUMBER" of what the kernel has allocated, as slub_debug=U
# tells it (below sysfs up to 5.15). Kernel mappings that were let go of stay until
# some of the kernel's are changed for another reason, which loading a module is. A network
# device that goes waits for what RCU is to free: before settle, for KASAN keeps that as
# well, and after it, for what settle itself had open.
objects() {
	modprobe dummy && rmmod dummy
	settle
	modprobe dummy && rmmod dummy
	{ grep -sE '^ *[0-9]+ ' /sys/kernel/debug/slab/*/alloc_traces /sys/kernel/slab/*/alloc_calls || :; } |
		sed -nE 's#^.*/([^/]+)/alloc_[a-z]+: *([0-9]+) ([^ ]+).*#\1:\3 \2#p' |
		awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort
}

# grown WHAT LIMIT: who has LIMIT objects more than in $tmp/WHAT
grown() { objects | join -a 2 -e 0 -o 0,1.2,2.2 "$tmp/$1" - | awk -v limit="$2" '$3 - $2 >= limit'; }
# none_grown WHAT LIMIT: nobody has. What kfree_rcu() is to free waits for some seconds, by
# the hundred: ask within 20.
none_grown() { ! grown "$@" | grep .; }

# dmabufs: those of nrdma that the kernel knows
dmabufs() { grep -c nrdma: /sys/kernel/debug/dma_buf/bufinfo; }
unused() { [ "$(cat /sys/module/nrdma/refcnt)" = 0 ]; }

# nothing_left: what the case made is gone, and so is the module in the end
nothing_left() {
	local n
	ok "the module is in nobody's hands" within 10 unused
	is "no buffer is listed" "$(buf_json length)" 0
	is "the kernel has no dma-buf of nrdma" "$(dmabufs)" 0
	ok "it unloads" rmmod nrdma
	ok "nothing is left in /dev" test ! -e /dev/nrdma
	ok "the nodes' memory is free again" within 20 free_again
	for n in $(nodes); do
		echo "# node $n: ${free_before[$n]} KiB free before, $(node_free "$n") after"
	done
}
