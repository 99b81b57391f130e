#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: remap
# kernels: 6.1 6.12 7.2 7.3 debug
#
# Steering outlives what drivers and administrators do: other channels, the port
# down and up, rename, the device removed and made again, the driver unbound, the
# PCI function removed and found again.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
dev=rxe_eth1
netdev=eth1
on_node() { every "$(masks "$pci")" 2 3; }
# One that was moved cannot be again before its next interrupt: until then it is pending.
really_on_node() { on_node && { busy "$netdev"; every "$(effective "$pci")" 2 3; }; }
resteered() { events 'select(.event == "resteered") | .why'; }

ok "steers" nrdmactl irq set $dev policy local
placed=$(masks "$pci")
ok "to its node" on_node
ok "really" within 15 really_on_node
events_begin

# virtio_net places its vectors anew by itself, past any lock and with no event.
ethtool -L eth1 combined 2
# Where that takes long the check has been here already, and told.
told() { [ -n "$(resteered)" ]; }
moved() { ! on_node || within 5 told; }
ok "other channels: the driver has moved vectors" moved
ok "the check has them back in 15 s" awake within 15 on_node
ok "really" within 15 really_on_node
is "in one go, and told" "$(resteered | sort | uniq -c | awk '{ print $1 }')" 1
is "where they were" "$(masks "$pci")" "$placed"
ethtool -L eth1 combined 4
ok "and again" awake within 15 on_node

ip link set eth1 down
ip link set eth1 up
is "port down and up: they stay" "$(masks "$pci")" "$placed"

rdma dev set $dev name other
dev=other
is "renamed: same policy" "$(policy_json $dev .mode)" local
is "and the same places" "$(masks "$pci")" "$placed"

rdma link delete $dev
dev=rxe_eth1
ok "device removed: open to user space" moves "$pci"
ok "and off its node again" fails on_node
rdma link add $dev type rxe netdev eth1
ok "made again: steered at once" on_node
ok "really" within 15 really_on_node
is "with the same policy" "$(policy_json $dev '| [.mode, .lock] | map(tostring) | join(" ")')" "local true"
ok "told, with the reason" within 5 grep -q "came back" "$tmp/events"

# rxe goes with its network device, so this is remove and add as well.
echo "$pci" >/sys/bus/pci/drivers/virtio-pci/unbind
ok "driver unbound: the device is gone" within 5 fails nrdmactl irq show $dev
echo "$pci" >/sys/bus/pci/drivers/virtio-pci/bind
ok "bound again" within 10 test -e "/sys/bus/pci/devices/$pci/msi_irqs"
netdev() { netdev=$(ls /sys/bus/pci/devices/"$pci"/virtio*/net 2>/dev/null) && [ -n "$netdev" ]; }
ok "its network device is back" within 10 netdev
ip link set "$netdev" up
rdma link add $dev type rxe netdev "$netdev"
ok "and its vectors, new ones, are steered" on_node
ok "really" within 15 really_on_node

echo 1 >"/sys/bus/pci/devices/$pci/remove"
ok "PCI function removed" within 5 test ! -e "/sys/bus/pci/devices/$pci"
echo 1 >/sys/bus/pci/rescan
ok "found again" within 10 netdev
ip link set "$netdev" up
rdma link add $dev type rxe netdev "$netdev"
ok "and steered" on_node
ok "really" within 15 really_on_node
events_end

ok "restored" nrdmactl irq restore $dev
ok "off its node" fails on_node
is "as the driver has placed them" "$(masks "$pci" | cut -d' ' -f2-)" "$(echo "$before" | cut -d' ' -f2-)"

# The NIC is a new one, and was eth1.
ip link set "$netdev" down
[ "$netdev" = eth1 ] || ip link set "$netdev" name eth1
ip link set eth1 up
ip addr add 10.0.1.1/24 dev eth1
unload_proves "$pci" "$(masks "$pci")"
done_testing
