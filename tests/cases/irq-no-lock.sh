#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: 5.10
# timeout: 240
#
# A kernel without a lock over MSI descriptors: steered when asked and when the
# device appears, never by itself, and said so.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
dev=rxe_eth1
on_node() { every "$(masks "$pci")" 2 3; }
restored() { [ "$(masks "$pci")" = "$before" ]; }

is "the policy is not kept" "$(policy_json $dev .kept)" false
ok "and dev show says why" sh -c "nrdmactl dev show $dev | grep -q 'no lock over MSI vectors'"

# ---- asked for ----

events_begin
ok "steers" nrdmactl irq set $dev policy local
ok "to its node" on_node
ok "user space cannot move them" locked "$pci"
placed=$(masks "$pci")

# ---- nothing by itself ----

ethtool -L eth1 combined 2
moved=$(masks "$pci")
isnt "other channels: the driver has moved vectors" "$moved" "$placed"
echo 0 >/sys/devices/system/cpu/cpu3/online
echo 1 >/sys/devices/system/cpu/cpu3/online
moved=$(masks "$pci")
# Longer than from one check to the next, where there is one
sleep 25
is "nobody has put them back" "$(masks "$pci")" "$moved"
is "nor is it told" "$(events 'select(.event == "resteered") | .why')" ""
ethtool -L eth1 combined 4
ok "asked again" nrdmactl irq set $dev policy local
is "they are where they were" "$(masks "$pci")" "$placed"
ok "another node" nrdmactl dev set $dev node 0
ok "is asking, too" every "$(masks "$pci")" 0 1
ok "and back" nrdmactl dev set $dev node auto
is "where they were" "$(masks "$pci")" "$placed"

# ---- when the device appears ----

rdma link delete $dev
ok "device removed: open to user space" within 5 moves "$pci"
fails on_node || bail "its vectors are still on its node"
rdma link add $dev type rxe netdev eth1
ok "made again: steered" within 5 on_node
ok "and told, with the reason" within 5 grep -q "its RDMA device came back" "$tmp/events"
events_end

netdev() { netdev=$(ls /sys/bus/pci/devices/"$pci"/virtio*/net 2>/dev/null) && [ -n "$netdev" ]; }
again() {
	ip link set "$netdev" up
	rdma link add $dev type rxe netdev "$netdev"
}
echo "$pci" >/sys/bus/pci/drivers/virtio-pci/unbind
ok "driver unbound: the device is gone" within 5 fails nrdmactl irq show $dev
echo "$pci" >/sys/bus/pci/drivers/virtio-pci/bind
ok "its network device is back" within 10 netdev
ok "and an RDMA device over it" again
ok "steered" within 5 on_node

# ---- all of it at once: nothing waits for itself, nothing is used that is gone ----

stop=$tmp/stop
until [ -e "$stop" ]; do
	nrdmactl irq show
	nrdmactl dev show
	nrdmactl irq set $dev policy local
	nrdmactl irq restore $dev
done >/dev/null 2>&1 &
asking=$!
until [ -e "$stop" ]; do
	for n in "/sys/bus/pci/devices/$pci/"virtio*/net/*; do
		ethtool -L "${n##*/}" combined 2
		ethtool -L "${n##*/}" combined 4
	done
done >/dev/null 2>&1 &
changing=$!
for n in 1 2 3 4 5 6 7 8; do
	if [ $((n % 2)) = 0 ]; then
		echo "$pci" >/sys/bus/pci/drivers/virtio-pci/unbind
		echo "$pci" >/sys/bus/pci/drivers/virtio-pci/bind
		within 10 netdev
	else
		rdma link delete $dev
	fi
	again
	[ -e "/sys/class/infiniband/$dev" ] || break
done 2>/dev/null
touch "$stop"
wait $asking $changing
is "after $n rounds the device is there" "$(ls /sys/class/infiniband/$dev >/dev/null && echo yes)" yes
ok "and can be steered" nrdmactl irq set $dev policy local
ok "to its node" on_node
ok "restored" nrdmactl irq restore $dev
ok "off its node" fails on_node

# The NIC is a new one, and was eth1.
ip link set "$netdev" down
[ "$netdev" = eth1 ] || ip link set "$netdev" name eth1
ip link set eth1 up
ethtool -L eth1 combined 4
ip addr add 10.0.1.1/24 dev eth1
unload_proves "$pci" "$(masks "$pci")"
done_testing
