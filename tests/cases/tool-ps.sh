#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# nrdmactl ps: who uses a device, what he holds of it, where his threads ran and
# his memory lies.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

bytes=8388608 pids=()

# server PORT COMMAND...: a server that waits for its peer, with a queue pair, a
# completion queue and a region of memory that it has written
server() {
	"${@:2}" ibv_rc_pingpong -d rxe_eth1 -g 0 -p "$1" -s $bytes >/dev/null 2>&1 &
	pids+=($!)
	within 10 sh -c "ss -Hltn | grep -q :$1"
}

is "nobody" "$(nrdmactl -j ps)" "[]"

server 18515 nrdmactl run rxe_eth1 --
server 18516 numactl -N 0 -m 0
server 18517 numactl -N 1 -m 0
of() { nrdmactl -j ps | jq -c ".[] | select(.pid == $1) | $2"; }

is "three, each by its pid" "$(nrdmactl -j ps | jq -c 'map(.pid)')" "[${pids[0]},${pids[1]},${pids[2]}]"
is "what it is, of which device, on which node" "$(of "${pids[0]}" '[.comm, .dev_name, .node]')" \
	'["ibv_rc_pingpong","rxe_eth1",1]'
is "what it holds" "$(of "${pids[0]}" '[.qp, .cq, .mr, .mr_bytes]')" "[1,1,1,$bytes]"
is "as the rdma tool counts" "$(nrdmactl -j ps | jq 'map(.qp) | add')" \
	"$(rdma -j res show qp | jq '[.[] | select(.pid != null)] | length')"
is "the CPUs that it may use" "$(of "${pids[1]}" .cpus_allowed)" '"0-1"'
is "its thread ran there" "$(of "${pids[1]}" .threads)" '[{"node":0,"count":1}]'
is "its memory lies there" \
	"$(of "${pids[1]}" "[.memory[] | select(.bytes >= $bytes) | .node]")" '[0]'
is "near" "$(of "${pids[0]}" .verdict)" '"local"'
is "far" "$(of "${pids[1]}" .verdict)" '"remote"'
is "CPUs near, memory far" "$(of "${pids[2]}" .verdict)" '"mixed"'
is "none on the other device" "$(nrdmactl -j ps rxe_eth0)" "[]"
script -qc "stty cols 100; nrdmactl ps" /dev/null </dev/null | tr -d '\r' >"$tmp/terminal"
ok "in a terminal, too" grep -q "^ *${pids[0]} " "$tmp/terminal"
ok "in lines as long as its own" sh -c '! grep -E "^.{101}" "$1"' - "$tmp/terminal"
is "another user is told what he may know" \
	"$(setpriv --reuid 1001 --regid 1001 --clear-groups nrdmactl -j ps | jq -c 'map([.qp, .memory]) | unique')" \
	'[[1,null]]'

kill "${pids[@]}"
wait "${pids[@]}" 2>/dev/null

# One that has a buffer and no verbs
mkfifo "$tmp/pipe" "$tmp/said"
taskset -c 0 t-buf hold /dev/nrdma/rxe_eth1 $bytes <"$tmp/pipe" >"$tmp/said" &
holder=$!
exec {pipe}>"$tmp/pipe"
read -r <"$tmp/said"
is "a buffer alone" "$(of $holder '[.qp, .buf_count, .buf_node_bytes]')" \
	"[0,1,[{\"node\":1,\"bytes\":$bytes}]]"
is "near, but its thread is not" "$(of $holder .verdict)" '"mixed"'

rmmod nrdma 2>/dev/null
ok "the module is in use" test -e /dev/nrdma/rxe_eth1
exec {pipe}>&-
wait $holder
is "nobody again" "$(nrdmactl -j ps)" "[]"

done_testing
