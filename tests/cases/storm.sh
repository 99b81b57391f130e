#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 600
# parallel: yes
#
# Everything at once: mappers are killed, devices are removed with buffers mapped
# and traffic on, renamed and added again, CPUs go and come back, vectors are steered,
# pools come and go; then the module itself under those who open it.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mappers=${MAPPERS:-100} seconds=${SECONDS_OF_STORM:-20} mib=$((1 << 20))
leak_check_begin
ulimit -l unlimited
for d in s0 s1; do
	ip link add $d type dummy
	ip link set $d up
done

mkfifo "$tmp/never"
exec 8<>"$tmp/never"

# Each of these goes on until it is told to stop, and says how often it went round.
going() { [ ! -e "$tmp/stop" ]; }
round() { echo . >>"$tmp/rounds.$1"; }
rounds() { wc -l 2>/dev/null <"$tmp/rounds.$1" || echo 0; }

# Of any device that is there; killed while they allocate, map or hold it
kill_mappers() {
	local n=0 i pids
	while going || [ "$n" -lt "$mappers" ]; do
		pids=()
		for i in 0 1 2 3; do
			t-buf hold "$(shuf -e -n1 /dev/nrdma/*)" $(((1 + i * i * 4) * mib)) <&8 &
			pids+=($!)
		done
		sleep "0.$((RANDOM % 5))"
		kill -KILL "${pids[@]}"
		wait "${pids[@]}"
		n=$((n + 4))
		round killed
		round killed
		round killed
		round killed
	done
}

add_and_delete() {
	while going; do
		rdma link add storm0 type rxe netdev s0
		t-buf hold /dev/nrdma/storm0 $((4 * mib)) <&8 &
		rdma link add storm1 type rxe netdev s1
		rdma link delete storm0
		rdma link delete storm1
		kill -KILL $!
		wait $!
		round removed
	done
}

rename() {
	local is=rxe_eth0 to
	while going; do
		for to in renamed rxe_eth0; do
			rdma dev set "$is" name "$to" && is=$to
		done
		round renamed
	done
	[ "$is" = rxe_eth0 ] || rdma dev set "$is" name rxe_eth0
}

cpus() {
	while going; do
		echo 0 >/sys/devices/system/cpu/cpu3/online
		echo 1 >/sys/devices/system/cpu/cpu3/online
		round offline
	done
}

steering() {
	while going; do
		nrdmactl irq set "$dev" policy spread lock on
		nrdmactl irq set "$dev" policy local lock off
		nrdmactl -j irq show
		nrdmactl irq restore "$dev"
		round steered
	done
}

pools() {
	while going; do
		nrdmactl pool set node 0 size 16M
		t-buf alloc /dev/nrdma/rxe_eth0 $((4 * mib)) pool
		nrdmactl -j buf show
		nrdmactl pool set node 0 size 0
		round pools
	done
}

traffic() {
	local bw=(ib_write_bw -d "$dev" -x "$(gid_of "$dev")" --mmap="$chardev" -s 65536 -D 2)
	while going; do
		"${bw[@]}" &
		until ss -Hltn | grep -q :18515; do
			kill -0 $! || break
			sleep 0.1
		done
		"${bw[@]}" "$ip" && round traffic
		kill -KILL $!
		wait $!
	done
}

parts=(kill_mappers add_and_delete rename cpus steering pools traffic)
pids=()
for part in "${parts[@]}"; do
	$part >"$tmp/$part.log" 2>&1 &
	pids+=($!)
done
sleep "$seconds"
touch "$tmp/stop"
wait "${pids[@]}"
ok "mappers were killed: $(rounds killed)" test "$(rounds killed)" -ge "$mappers"
for part in removed renamed offline steered pools traffic; do
	ok "$part: $(rounds $part) times" test "$(rounds $part)" -gt 0
done
ok "no buffer is left" within 30 unused
is "nor listed" "$(buf_json length)" 0
is "the devices are as before" "$(nrdmactl -j dev show | jq -r 'map(.name) | join(" ")')" \
	"rxe_eth0 rxe_eth1"
is "all CPUs are online" "$(cat /sys/devices/system/cpu/online)" "$(cat /sys/devices/system/cpu/present)"
ok "restored" nrdmactl irq restore "$dev"
is "nothing of it is locked" "$(irq_json "$dev" 'map(select(.locked)) | length')" 0
ok "no pool is left" within 30 sh -c "nrdmactl -j pool show | jq -e 'map(.ready_bytes + .dirty_bytes + .used_bytes) | add == 0'"

# ---- the module goes, whoever opens it ----

rm "$tmp/stop"
opens() {
	while going; do
		t-buf map "$chardev" $((2 * mib)) && round opens
		nrdmactl -j status
		nrdmactl -j buf show
	done
}
reloads() {
	local n=0
	while going || [ "$n" -lt 20 ]; do
		rmmod nrdma && round unloaded
		modprobe nrdma
		n=$((n + 1))
	done
	modprobe nrdma
}
pids=()
for part in opens opens reloads add_and_delete; do
	$part >"$tmp/$part.log" 2>&1 &
	pids+=($!)
done
sleep "$seconds"
touch "$tmp/stop"
wait "${pids[@]}"
ok "unloaded: $(rounds unloaded) times" test "$(rounds unloaded)" -gt 0
ok "opened: $(rounds opens) times" test "$(rounds opens)" -gt 0
is "it works" "$(word zero "$(t-buf map "$chardev" $((2 * mib)))")" 1

exec 8>&-
for d in s0 s1; do
	ip link delete $d
done
nothing_left
done_testing
