#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# nrdmactl buf show: whose buffers there are, how large, where; to whom it tells
# what; and what is left when the device is gone.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

mib=1048576

# hold DEV BYTES [USER]: a process that has such a buffer, until its pipe is closed
hold() {
	local user=${3:-0}
	mkfifo "$tmp/pipe.$1" "$tmp/said.$1"
	prlimit --memlock=unlimited setpriv --reuid "$user" --regid "$user" --clear-groups \
		t-buf hold "/dev/nrdma/$1" "$2" <"$tmp/pipe.$1" >"$tmp/said.$1" &
	holder=$!
	exec {pipe}>"$tmp/pipe.$1"
	read -r <"$tmp/said.$1"
}

is "none" "$(nrdmactl -j buf show)" "[]"
is "and in text nothing" "$(nrdmactl buf show)" ""

hold rxe_eth1 $((64 * mib + 4096)) 1000
held=$holder
is "one: whose" "$(nrdmactl -j buf show | jq -c '.[] | [.dev_name, .pid, .comm, .uid]')" \
	"[\"rxe_eth1\",$held,\"t-buf\",1000]"
is "how large, where" "$(nrdmactl -j buf show | jq -c '.[] | [.bytes, .node, .node_bytes, .remote_bytes]')" \
	"[$((64 * mib + 4096)),1,[{\"node\":1,\"bytes\":$((64 * mib + 4096))}],0]"
is "its pieces are the whole" \
	"$(nrdmactl -j buf show | jq '.[].run | map(.bytes) | add')" $((64 * mib + 4096))
is "one after the other" \
	"$(nrdmactl -j buf show | jq '.[].run | . as $r | [range(1; length) | $r[.].offset == $r[. - 1].offset + $r[. - 1].bytes] | all')" true
is "of the device that was named" "$(nrdmactl -j buf show rxe_eth0)" "[]"
is "by its network device too" "$(nrdmactl -j buf show eth1 | jq length)" 1
is "status counts it" "$(nrdmactl -j status rxe_eth1 | jq -c '.[0] | [.buf_count, .buf_bytes, .buf_node_bytes]')" \
	"[1,$((64 * mib + 4096)),[{\"node\":1,\"bytes\":$((64 * mib + 4096))}]]"
is "not for the other device" "$(nrdmactl -j status rxe_eth0 | jq -c '.[0].buf_count')" 0
ok "in text too" grep -q "$held t-buf *1000 *64M " <(nrdmactl buf show)

other() { setpriv --reuid 1001 --regid 1001 --clear-groups nrdmactl -j buf show; }
own() { setpriv --reuid 1000 --regid 1000 --clear-groups nrdmactl -j buf show; }
is "another user is told how much, not whose process" \
	"$(other | jq -c '.[] | [.bytes > 0, .pid, .comm]')" '[true,null,null]'
is "its own user is" "$(own | jq -c '.[] | [.pid, .comm]')" "[$held,\"t-buf\"]"

rdma link delete rxe_eth1
is "the device goes, the buffer stays" "$(nrdmactl -j buf show | jq -c '.[] | [.dev_name, .orphan, .pid]')" \
	"[\"rxe_eth1\",true,$held]"
ok "which text says" grep -q '(gone)' <(nrdmactl buf show)
rdma link add rxe_eth1 type rxe netdev eth1
exec {pipe}>&-
wait "$held"
ok "and goes with its process" within 5 sh -c 'test "$(nrdmactl -j buf show)" = "[]"'

# A command's name may be anything; JSON is valid all the same
cp "$(command -v t-buf)" "$tmp/$(printf 'a\377"\\\033b')"
mkfifo "$tmp/odd"
"$tmp/$(printf 'a\377"\\\033b')" hold /dev/nrdma/rxe_eth0 $mib <"$tmp/odd" >/dev/null &
exec {pipe}>"$tmp/odd"
within 5 sh -c 'test "$(nrdmactl -j buf show | jq length)" = 1'
is "an odd name" "$(nrdmactl -j buf show | jq -c '.[].comm')" '"a?\"\\?b"'
exec {pipe}>&-
wait

done_testing
