#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 1500
#
# Probes that are cut at random points: the reader killed, the device removed, the
# module asked to go. Nothing hangs, nothing is left. ROUNDS and SEED may be given.

# shellcheck disable=SC2317 # called through within
# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

rounds=${ROUNDS:-1000}
RANDOM=${SEED:-1}
ops=(write read send pingpong)
sizes=(8 4096 262144 4194304)
leak_check_begin

# start: a probe of some kind; killed, its socket closes
start() {
	nrdmactl probe "$dev" op "${ops[RANDOM % 4]}" size "${sizes[RANDOM % 4]}" \
		rounds $((1 + RANDOM % 20)) >/dev/null 2>"$tmp/err" &
	reader=$!
	read -rt "0.$((RANDOM % 3))$((RANDOM % 10))" <>"$tmp/never"
}

stop() {
	kill -KILL $reader
	wait $reader
} 2>/dev/null

mkfifo "$tmp/never"
killed=0 removed=0 unloads=0 gone=0 back=0
for ((round = 1; round <= rounds; round++)); do
	start
	case $((RANDOM % 8)) in
	0)
		# The reader may have said all, and then it may go
		rmmod nrdma 2>/dev/null && gone=$((gone + 1)) && modprobe nrdma
		unloads=$((unloads + 1))
		stop
		;;
	1)
		rdma link delete "$dev" || break
		removed=$((removed + 1))
		wait $reader 2>/dev/null
		add_rxe || break
		back=$((back + 1))
		;;
	*)
		stop
		killed=$((killed + 1))
		;;
	esac
	[ $((round % 100)) != 0 ] || echo "# $round: $killed killed, $removed removed, $unloads asked to go, $gone gone"
done
is "all rounds were made" "$round" $((rounds + 1))
is "the device came back each time" "$back" "$removed"
ok "the last one is over" within 20 unused
ok "and another can be made" probe rounds 1
nothing_of_probe "$(resources)"
nothing_left
done_testing
