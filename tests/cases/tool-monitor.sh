#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# nrdmactl monitor: an event for each thing that happens, once, in order.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

# listening PID: this monitor's socket has joined its groups; its port need not be
# its process' number
listening() {
	local inodes
	inodes=$(readlink "/proc/$1"/fd/* | sed -n 's/^socket:\[\(.*\)\]$/\1/p' | paste -sd' ')
	awk -v inodes=" $inodes " 'index(inodes, " " $10 " ") && $4 != "00000000" { n = 1 }
		END { exit !n }' /proc/net/netlink
}

nrdmactl -j monitor >"$tmp/events" &
monitor=$!
within 5 listening $monitor
all() { jq -r '[.object, .event, .dev_name] | join(" ")' "$tmp/events"; }
saw() { all | grep -qx "$1"; }

nrdmactl irq set rxe_eth0 policy local lock on >/dev/null
nrdmactl irq restore rxe_eth0 >/dev/null
nrdmactl dev set rxe_eth1 node 0 >/dev/null
nrdmactl dev set rxe_eth1 node auto >/dev/null
rdma dev set rxe_eth1 name new1
rdma dev set new1 name rxe_eth1
ip link set eth1 down
ok "a port" within 5 saw "dev port rxe_eth1"
ip link set eth1 up
ok "a file of a device is open" hold late as_user t-buf late /dev/nrdma/rxe_eth0 4096
rdma link delete rxe_eth0
ok "a device goes" within 5 saw "dev removed rxe_eth0"
drop late >/dev/null
ok "and makes no buffer any more" within 5 saw "buf failed rxe_eth0"
rdma link add rxe_eth0 type rxe netdev eth0
ok "and comes" within 5 saw "dev added rxe_eth0"
t-buf map /dev/nrdma/rxe_eth1 8388608 >/dev/null
ok "a buffer" within 5 saw "buf allocated rxe_eth1"
ok "and its end" within 5 saw "buf freed rxe_eth1"
t-buf map /dev/nrdma/rxe_eth1 1099511627776 >/dev/null
ok "one that could not be" within 5 saw "buf failed rxe_eth1"
kill $monitor
wait $monitor 2>/dev/null

ok "steered" saw "irq steered rxe_eth0"
ok "restored" saw "irq restored rxe_eth0"
is "another node, and back" "$(all | grep -cx 'dev node rxe_eth1')" 2
is "renamed, and back" \
	"$(jq -r 'select(.event == "renamed") | [.old_name, .dev_name] | join(">")' "$tmp/events" | paste -sd' ')" \
	"rxe_eth1>new1 new1>rxe_eth1"
is "times go up" "$(jq .time "$tmp/events")" "$(jq .time "$tmp/events" | sort -n)"
is "size and node are told" "$(jq -c 'select(.event == "allocated") | [.bytes, .node]' "$tmp/events")" \
	'[8388608,1]'
is "and why not" "$(jq -r 'select(.event == "failed") | .reason, .node' "$tmp/events" | paste -sd' ')" \
	"device gone null node full 1"
is "and whose they are" "$(jq -r 'select(.object == "buf") | [.event, .uid] | join(" ")' "$tmp/events" | paste -sd,)" \
	"failed 1000,allocated 0,freed 0,failed 0"
is "and no pid or command, which are nobody else's business" \
	"$(jq 'select(has("pid") or has("comm"))' "$tmp/events")" ""

# count, timeout, and the module's end
nrdmactl monitor count 2 timeout 20 >"$tmp/count" &
pid=$!
within 5 listening $pid
nrdmactl dev set rxe_eth1 node 0 >/dev/null
nrdmactl dev set rxe_eth1 node auto >/dev/null
ok "ends after two events" wait $pid
is "of which it printed each" "$(wc -l <"$tmp/count")" 2
nrdmactl monitor timeout 20 2>"$tmp/err" &
pid=$!
within 5 listening $pid
rmmod nrdma
wait $pid
is "ends with the module" "$? $(cat "$tmp/err")" "2 nrdmactl: monitor: module nrdma was unloaded"

done_testing
