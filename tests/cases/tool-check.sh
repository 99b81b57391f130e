#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_lanes
# timeout: 300
#
# One thing broken at a time: nrdmactl check fails that check and no other, and
# after the printed remedy it passes.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

failing() { nrdmactl -j check "$@" | jq -r 'map(select(.verdict == "fail") | .check) | unique | join(" ")'; }
# remedy CHECK ARGS...: what is printed below its first failure
remedy() {
	nrdmactl check "${@:2}" | awk -v check="$1" '
		/^[^ ]/ { failed = $1 == "fail" && $2 == check }
		failed && sub(/^ *to mend it: /, "") { print; exit }'
}

# mends NAME CHECK ARGS...: this one fails alone, and not after what is printed to mend
# it was typed, with node 1 where that leaves the node to who types it
mends() {
	local fix
	is "$1: fails, alone" "$(failing "${@:3}")" "$2"
	fix=$(remedy "$2" "${@:3}")
	[[ $fix != *" node N" ]] || fix=${fix%N}1
	ok "$1: $fix" bash -c "$fix"
	ok "$1: mended" within 5 nrdmactl check "${@:3}"
}

for n in 0 1; do
	ip link set eth$n mtu 4200
	nrdmactl irq set rxe_eth$n policy local lock on >/dev/null
	busy eth$n
done
ok "a host that is as it should be" nrdmactl check
is "says ok, info or n/a throughout" \
	"$(nrdmactl -j check | jq -c 'map(.verdict) | unique - ["ok", "info", "n/a"]')" '[]'

ip link set eth1 mtu 1500
mends "MTU 1500" mtu

ip link set eth0 down
within 5 sh -c 'nrdmactl -j status rxe_eth0 | jq -e ".[0].ports[0].state == \"down\"" >/dev/null'
mends "port down" port

nrdmactl irq restore rxe_eth1 >/dev/null
busy eth1
mends "steering undone" vectors

nrdmactl irq set rxe_eth1 policy node 0 lock on >/dev/null
busy eth1
mends "steered to the other node" vectors

nrdmactl irq set rxe_eth1 lock off >/dev/null
busy eth1
echo 0 >"/proc/irq/$(virqs "$(pci_of eth1)" | tail -1)/smp_affinity_list"
awake within 20 sh -c 'nrdmactl -j irq show rxe_eth1 | jq -e "any(.state == \"drifted\")" >/dev/null'
busy eth1
mends "moved by somebody else" vectors

taskset -c 0 ibv_rc_pingpong -d rxe_eth1 -g 0 >/dev/null 2>&1 &
server=$!
within 10 sh -c "ss -Hltn | grep -q :18515"
threads() { nrdmactl -j check rxe_eth1 only threads | jq -r '.[0] | .verdict + ": " + .found'; }
is "one that uses the device, from the wrong node" "$(threads)" \
	"warn: 1 of 1 processes that use it have threads that ran elsewhere last"
kill $server
wait $server 2>/dev/null
is "nobody" "$(threads)" "n/a: no process uses it"

taskset -c 0 sh -c 'while :; do sleep 0.1; done' &
loop=$!
mends "a process on the wrong node" threads rxe_eth1 pid $loop
kill $loop

setpriv --reuid 1000 --regid 1000 --clear-groups bash -c 'ulimit -Sl 64; exec sleep 600' &
sleeper=$!
within 5 grep -q sleep /proc/$sleeper/comm
mends "memlock of 64 KiB" memlock pid $sleeper skip threads
kill $sleeper

# A cpuset without the device's memory node
mkdir /sys/fs/cgroup/far
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo 0 >/sys/fs/cgroup/far/cpuset.mems
sleep 600 &
sleeper=$!
echo $sleeper >/sys/fs/cgroup/far/cgroup.procs
mends "a cpuset without the node" cpuset rxe_eth1 pid $sleeper skip threads
echo 0-1 >/sys/fs/cgroup/far/cpuset.cpus
mends "a cpuset without its CPUs" cpuset rxe_eth1 pid $sleeper skip threads
kill $sleeper
wait $sleeper 2>/dev/null
rmdir /sys/fs/cgroup/far
echo -cpuset >/sys/fs/cgroup/cgroup.subtree_control

# A buffer of which some had to go to the other node
ulimit -l unlimited
hog=$(($(node_free 1) / 1024 - 160))
mkdir "$tmp/hog"
mount -t tmpfs -o "size=${hog}M,mpol=bind:1" hog "$tmp/hog"
fallocate -l "${hog}M" "$tmp/hog/file"
mkfifo "$tmp/pipe" "$tmp/said"
t-lib hold rxe_eth1 $((256 << 20)) remote <"$tmp/pipe" >"$tmp/said" &
holder=$!
exec {pipe}>"$tmp/pipe"
read -r <"$tmp/said"
is "a buffer on the other node: fails, alone" "$(failing)" buffers
is "who has it is where to look" "$(remedy buffers)" "nrdmactl buf show rxe_eth1"
exec {pipe}>&-
wait $holder 2>/dev/null
ok "a buffer on the other node: mended" within 5 nrdmactl check
umount "$tmp/hog"

chmod 600 /dev/nrdma/rxe_eth0
setpriv --reuid 1000 --regid 1000 --clear-groups nrdmactl check only chardev >"$tmp/out"
is "no permission" $? 3
ok "the remedy is printed" grep -qx ' *to mend it: chmod 666 /dev/nrdma/rxe_eth0' "$tmp/out"
chmod 666 /dev/nrdma/rxe_eth0
ok "and mends it" setpriv --reuid 1000 --regid 1000 --clear-groups nrdmactl check only chardev

ip link add name none0 type dummy
ip link set none0 up mtu 4200
rdma link add virt type rxe netdev none0
mends "node unknown" node
rdma link delete virt
ip link delete none0

modprobe nrdma_lanes function="$(pci_of eth1)"
mends "a link of one lane of four" pcie
rmmod nrdma_lanes

# One that was built against other symbols: a checksum is another
ko=/lib/modules/$(uname -r)/updates/nrdma.ko
if modprobe --dump-modversions "$ko" 2>/dev/null | grep -q ib_register_client; then
	rmmod nrdma
	cp "$ko" "$tmp/nrdma.ko"
	# It stands before the name
	at=$(grep -abo ib_register_client "$ko" | head -n1 | cut -d: -f1)
	printf '\xff\xfe\xfd\xfc' | dd of="$ko" bs=1 seek=$((at - 8)) conv=notrunc 2>/dev/null
	ok "a module for other symbols is refused" fails modprobe nrdma
	is "other symbols: fails, alone" "$(failing skip node,vectors 2>/dev/null)" module
	like "in the kernel's own words" \
		"$(nrdmactl -j check only module 2>/dev/null | jq -r '.[0].found')" \
		"built against other symbols than this kernel's: disagrees about version of symbol ib_register_client"
	# Which came first is told by the second
	sleep 2
	cp "$tmp/nrdma.ko" "$ko"
	is "one for these: what was said of the other is not its" "$(remedy module only module)" "modprobe nrdma"
	modprobe nrdma
	ok "and it is not refused" nrdmactl check only module,abi
else
	skip "this kernel has no checksums of symbols" "a module for other symbols"
fi

is "list names each check" "$(nrdmactl -j check list | jq -r '.[].check' | sort)" \
	"$(nrdmactl -j check | jq -r '.[].check' | sort -u)"
is "only" "$(nrdmactl -j check only node,port | jq -r 'map(.check) | unique | join(" ")')" "node port"
is "skip" "$(nrdmactl -j check skip node,port | jq -r 'map(.check) | any(. == "node" or . == "port")')" false
nrdmactl check only nonsense 2>"$tmp/err"
is "an unknown check" "$? $(cat "$tmp/err")" \
	'1 nrdmactl: check: only: no check "nonsense" (nrdmactl check list)'

for n in 0 1; do
	nrdmactl irq restore rxe_eth$n >/dev/null
	ip link set eth$n mtu 1500
done
done_testing
