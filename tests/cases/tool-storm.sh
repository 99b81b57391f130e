#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 480
# parallel: yes
#
# Devices and buffers come and go while they are shown: JSON is valid each time,
# the exit status is 0 or 4 (may be incomplete), what stays is always there. And
# more of both than one message holds.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

n=24

for i in $(seq $n); do
	ip link add "d$i" type dummy
	ip link set "d$i" up
done

# shown WORDS FILTER: valid, and the filter holds
shown() {
	local status
	# shellcheck disable=SC2086
	nrdmactl -j $1 >"$tmp/json" 2>"$tmp/err"
	status=$?
	if [ "$status" != 0 ] && { [ "$status" != 4 ] || ! grep -q incomplete "$tmp/err"; }; then
		echo "nrdmactl $1: status $status"
		cat "$tmp/err"
		return 1
	fi
	jq -e "$2" "$tmp/json" >/dev/null || cat "$tmp/json"
}

many() {
	local round
	for round in $(seq 15); do
		for words in status "dev show" "irq show" "buf show" ps; do
			shown "$words" "type == \"array\" and ($1)" || return 1
		done
	done
	echo "$round rounds"
}

while :; do
	for i in $(seq $n); do
		rdma link add "s$i" type rxe netdev "d$i"
		t-buf map /dev/nrdma/rxe_eth0 1048576
		rdma link delete "s$((i - 3))"
	done
	for i in $(seq $n); do
		rdma link delete "s$i"
	done
done >/dev/null 2>&1 &
storm=$!
ok "while devices and buffers come and go" many true
ok "those that stay are shown each time" sh -c '
	for i in $(seq 10); do
		nrdmactl -j status 2>/dev/null |
			jq -e "map(.name) | contains([\"rxe_eth0\", \"rxe_eth1\"])" || exit
	done'
kill $storm
wait $storm 2>/dev/null
for i in $(seq $n); do
	rdma link delete "s$i" 2>/dev/null
	rdma link add "s$i" type rxe netdev "d$i"
done

is "all of them" "$(nrdmactl -j dev show | jq length)" $((n + 2))
is "each once" "$(nrdmactl -j status | jq -r '.[].name' | sort | uniq -d)" ""

# Buffers of many pieces, so that one of them takes several messages
mkfifo "$tmp/pipe"
for i in $(seq $n); do
	t-buf hold "/dev/nrdma/rxe_eth$((i % 2))" $((8 << 20)) <"$tmp/pipe" >/dev/null &
done
exec {pipe}>"$tmp/pipe"
ok "as many buffers" within 30 sh -c "nrdmactl -j buf show | jq -e 'length == $n'"
is "each whole" "$(nrdmactl -j buf show | jq 'map((.run | map(.bytes) | add) == .bytes) | all')" true
is "and each once" "$(nrdmactl -j buf show | jq 'map(.id) | length == (unique | length)')" true
exec {pipe}>&-
wait

for i in $(seq $n); do
	rdma link delete "s$i"
	ip link delete "d$i"
done
is "and all are gone" "$(nrdmactl -j dev show | jq length) $(nrdmactl -j buf show)" "2 []"

done_testing
