#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# RDMA held against TCP on this host: every size has its figures, of the memory and
# the CPUs that were asked for, and no connection is left.

# shellcheck disable=SC2317 # called through within
# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

leak_check_begin
before=$(resources)
connections() { ss -Htn state established src "$ip" | wc -l; }
before_connections=$(connections)

# sane: an object whose figures can be true
sane='def stat: .median > 0 and .median_low > 0 and .median_low <= .median and .median <= .median_high;
	(.rdma | stat) and (.tcp | stat) and .rounds >= 1 and .rounds <= 9 and .software == true and
	.ratio > 0 and ((.ratio - .tcp.median / .rdma.median) | fabs) < 0.01 * .ratio'

# ---- one size, and all of them ----

ok "one size" probe compare tcp size 64 time 5
is "has one object, of these fields" "$(jq -c 'map(keys)' "$tmp/probe")" \
	'[["dev_name","ratio","rdma","rounds","size","software","tcp"]]'
is "of this device and size" "$(jq -c 'map([.dev_name, .size])' "$tmp/probe")" "[[\"$dev\",64]]"
ok "whose figures can be true" jq -e "all($sane)" "$tmp/probe"
jq -c '.[]' "$tmp/probe" | sed 's/^/# /'
sizes=(8 64 512 4096 32768 262144 1048576 4194304)
# all_sizes: in one probe; on the debug kernel each by itself, as all of them take longer
# than the minute that a probe may, and the largest does alone
all_sizes() {
	local size
	on_debug || { probe compare tcp time 24; return; }
	for size in "${sizes[@]}"; do
		probe compare tcp size "$size" time 60 || return
		cat "$tmp/probe"
	done >"$tmp/sizes"
	jq -s add "$tmp/sizes" >"$tmp/probe"
}
if on_debug; then
	unset 'sizes[-1]'
	skip "takes longer than a probe may" "4 MiB"
fi
ok "all sizes" all_sizes
is "each once" "$(jq -c 'map(.size)' "$tmp/probe")" "[$(IFS=,; echo "${sizes[*]}")]"
ok "whose figures can be true" jq -e "all($sane)" "$tmp/probe"
ok "the largest takes longer than the smallest, either way" \
	jq -e '.[-1].rdma.median > .[0].rdma.median and .[-1].tcp.median > .[0].tcp.median' "$tmp/probe"
jq -c '.[] | [.size, .rdma.median, .tcp.median, .ratio, .rounds]' "$tmp/probe" | sed 's/^/# /'

begun=$SECONDS
nrdmactl -j probe "$dev" compare tcp time 1 >"$tmp/probe" 2>"$tmp/probe.err"
is "for a second: not all of them" $? 4
ok "it is over soon" test $((SECONDS - begun)) -le 10
ok "what there is can be true" jq -e "length >= 1 and length < 8 and all($sane)" "$tmp/probe"
like "how many there are is said" "$(cat "$tmp/probe.err")" "the time is over: [1-7] of 8 sizes were measured"

# ---- in words ----

nrdmactl probe "$dev" compare tcp size 4k time 1 mem-node 0 cpu-node 1 >"$tmp/text" 2>&1
is "in words" $? 0
sed 's/^/# /' "$tmp/text"
like "a row" "$(cat "$tmp/text")" '^ *4K +[0-9.]+ [nmu]?s +[0-9.]+ [nmu]?s +[0-9.]+x +[1-9]$'
like "where memory and CPUs were" "$(cat "$tmp/text")" "there and back, memory on node 0, CPUs of node 1; "
like "what TCP went over" "$(cat "$tmp/text")" "TCP over $netdev's address, .* loop-back device"
like "and that it says nothing about a NIC" "$(cat "$tmp/text")" "the CPU moves the data"

# ---- the two threads are on the CPUs that the module's sides were on ----

# asks: the tool's first thread is bound to a CPU of node 0, the other one to another. They
# are two for as long as TCP is measured, a small part of the time: no process is started
# to look.
asks() {
	local end=$((SECONDS + 58)) file key value cpus
	while [ "$SECONDS" -lt "$end" ]; do
		cpus=''
		for file in /proc/"$reader"/task/*/status; do
			{
				while read -r key value; do
					[ "$key" != Cpus_allowed_list: ] || cpus+=" $value"
				done <"$file"
			} 2>/dev/null
		done
		case $cpus in
		" 0 1"|" 1 0") return ;;
		esac
	done
	return 1
}
begin compare tcp time 60 mem-node 0 cpu-node 0
ok "both ends are on the node that was asked for" asks
kill -KILL $reader
wait $reader 2>/dev/null
ok "it ends when it is killed" within 10 unused

# ---- an address of the other family, and none ----

ip addr del "$addr" dev "$netdev"
ok "without an IPv4 address" probe compare tcp size 64 time 1
ok "it has figures all the same" jq -e "all($sane)" "$tmp/probe"
ip addr add "$addr" dev "$netdev"
ok "the address is back" within 10 active "$dev"

# ---- what goes over lo is dropped, as a firewall may ----

if modprobe sch_tbf 2>/dev/null && tc qdisc add dev lo root tbf rate 8bit burst 1 latency 1ms 2>/dev/null; then
	begun=$SECONDS
	refused "TCP that is dropped" "got no answer in 5 s: let a firewall pass" \
		nrdmactl probe "$dev" compare tcp size 64
	ok "it does not hang" test $((SECONDS - begun)) -le 20
	tc qdisc del dev lo root
else
	skip "no tc, or no sch_tbf" "TCP that is dropped"
fi

# ---- refusals ----

# usage: status 1 and the keys that it takes
usage() {
	"$@" 2>"$tmp/usage"
	[ $? = 1 ] && grep -q "compare tcp takes size, time, mem-node, cpu-node and isolated" "$tmp/usage"
}
ok "an operation is bad usage" usage nrdmactl probe "$dev" compare tcp op read
ok "and so is a picture" usage nrdmactl probe "$dev" compare tcp svg "$tmp/svg"
refused "a size that is too small" "(attribute size)" nrdmactl probe "$dev" compare tcp size 7
refused "memory of no node" "no such node has memory" nrdmactl probe "$dev" compare tcp mem-node 9
refused "a user" "needs CAP_NET_ADMIN" as_user nrdmactl probe "$dev" compare tcp size 64
is "what was refused printed valid JSON" \
	"$(nrdmactl -j probe "$dev" compare tcp size 7 2>/dev/null | jq -c .)" "[]"

# ---- its end ----

nothing_of_probe "$before"
is "no connection is left" "$(connections)" "$before_connections"
nothing_left
done_testing
