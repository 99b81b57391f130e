#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# Without the module: what sysfs tells is shown, the rest is n/a and null, and
# what needs the module says so. What both tell is the same.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

known='map({name, node, node_source, mem_node, cpu_node, pci, vectors, vectors_local, vectors_remote, ports})'
irqs='map({dev_name, irq, cpus, effective, node, local, action})'
tell_devs() { nrdmactl -j status 2>/dev/null | jq -c "$known"; }
tell_irqs() { nrdmactl -j irq show 2>/dev/null | jq -c "$irqs"; }
seats() { effective "$(pci_of eth0)"; effective "$(pci_of eth1)"; }

# Without interrupt remapping a vector moves at its next interrupt, whenever that
# is: compare two answers between which none has moved.
for _ in $(seq 10); do
	seats=$(seats)
	with=$(tell_devs)
	with_irqs=$(tell_irqs)
	rmmod nrdma
	without=$(tell_devs)
	without_irqs=$(tell_irqs)
	[ "$(seats)" != "$seats" ] || break
	modprobe nrdma
done
ok "no vector has moved meanwhile" test ! -e /sys/module/nrdma

ok "status" nrdmactl status
is "is as with the module, where sysfs tells" "$without" "$with"
is "and null where not" \
	"$(nrdmactl -j status 2>/dev/null | jq -c 'map([.buf_count, .buf_bytes, .vectors_managed, .steering]) | unique')" \
	'[[null,null,null,null]]'
is "vectors too" "$without_irqs" "$with_irqs"
is "it is said once, on standard error" "$(nrdmactl status 2>&1 >/dev/null)" \
	"nrdmactl: status: module nrdma is not loaded, so there is less to say (modprobe nrdma)"
is "and in the text" "$(nrdmactl status 2>/dev/null | grep -c 'n/a (no module)')" 2
ok "dev show" nrdmactl -d dev show rxe_eth1

for words in "buf show" "pool show" "dev set rxe_eth0 node 1" "irq set rxe_eth0 policy local" \
	"irq restore rxe_eth0" "pool set node 0 size 2M"; do
	# shellcheck disable=SC2086
	refused "$words" "module nrdma is not loaded (modprobe nrdma)" nrdmactl $words
done

# Devices and ports are told by the kernel as well
nrdmactl -j monitor >"$tmp/events" 2>/dev/null &
monitor=$!
# Its sockets, for events of devices (15) and of network devices (0), are there
# shellcheck disable=SC2016 # awk's
within 5 awk '$2 == 15 && $4 != "00000000" { n = 1 } $2 == 0 && $4 != "00000000" { m = 1 }
	END { exit !(n && m) }' /proc/net/netlink
saw() { jq -r '[.object, .event, .dev_name, .old_name, .port_state] | map(. // "") | join(" ")' "$tmp/events" | grep -qx "$1 *"; }
ip link set eth1 down
ok "a port goes down" within 5 saw "dev port rxe_eth1  down"
ip link set eth1 up
ok "and up" within 5 saw "dev port rxe_eth1  active"
rdma dev set rxe_eth0 name other
ok "a device is renamed" within 5 saw "dev renamed other rxe_eth0"
rdma dev set other name rxe_eth0
ok "and back" within 5 saw "dev renamed rxe_eth0 other"
rdma link delete rxe_eth0
ok "goes" within 5 saw "dev removed rxe_eth0"
rdma link add rxe_eth0 type rxe netdev eth0
ok "and comes" within 5 saw "dev added rxe_eth0"
is "with its node" "$(jq -c 'select(.event == "added") | [.node, .node_source]' "$tmp/events")" '[0,"netdev"]'
kill $monitor
wait $monitor 2>/dev/null
nrdmactl monitor count 1 timeout 1 >/dev/null 2>"$tmp/err"
is "events that do not come" "$? $(tail -n1 "$tmp/err")" "2 nrdmactl: monitor: 0 of 1 events came in 1 s"

nrdmactl check only module >"$tmp/out" 2>/dev/null
is "check fails" $? 3
ok "and says what mends it" grep -qx ' *to mend it: modprobe nrdma' "$tmp/out"
modprobe nrdma
ok "which does" nrdmactl check only module

done_testing
