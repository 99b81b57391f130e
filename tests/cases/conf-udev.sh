#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
#
# Debian's udevd with our rule: the first RDMA device loads the module, each one that
# appears gets what nrdma.conf says of it, a renamed one what it says of its new name,
# and what was set by hand elsewhere stays.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci0=$(pci_of eth0)
pci1=$(pci_of eth1)
before0=$(masks "$pci0")
before1=$(masks "$pci1")
remake() {
	rdma link delete "$1"
	rdma link add "$1" type rxe netdev "${1#*_}"
}

mkdir -p /etc/nrdma
cat >/etc/nrdma/nrdma.conf <<-CONF
	[node 1]
	size = 32M
	[$pci1]
	policy = local
	[lan0]
	policy = cpus 0-1
	[other]
	policy = cpus 3
CONF
rmmod nrdma
rdma link delete rxe_eth0
rdma link delete rxe_eth1

systemd-udevd --debug >"$tmp/udevd" 2>&1 &
udevd=$!
ok "udevd is there" within 10 udevadm control --ping

rdma link add rxe_eth1 type rxe netdev eth1
loaded() { [ -e /sys/module/nrdma/refcnt ]; }
ok "the first device loads the module" within 20 loaded
steered1() { every "$(masks "$pci1")" 2 3; }
ok "and is steered as the file says" within 20 steered1
ok "locked" locked "$pci1"
ok "its file may be opened by all" test "$(stat -c %a /dev/nrdma/rxe_eth1)" = 666
is "pools are the boot's matter" "$(nrdmactl -j pool show | jq '.[1].bytes')" 0

rdma link add rxe_eth0 type rxe netdev eth0
ok "one that the file does not name" within 20 test -e /dev/nrdma/rxe_eth0
udevadm settle
is "is left alone" "$(policy_json rxe_eth0 .mode) $(masks "$pci0")" "off $before0"

# rename_netdev OLD NEW
rename_netdev() { ip link set "$1" down && ip link set "$1" name "$2" && ip link set "$2" up; }
steered_lan0() { every "$(masks "$pci0")" 0 1; }
ok "its network device gets a name" rename_netdev eth0 lan0
ok "that the file has: steered" within 20 steered_lan0
ok "and its own again" rename_netdev lan0 eth0
udevadm settle
is "which the file has not: left alone" "$(policy_json rxe_eth0 .cpus)" 0-1
rdma dev set rxe_eth0 name other
steered0() { every "$(masks "$pci0")" 3; }
ok "under a name that it does" within 20 steered0
ok "by hand" nrdmactl irq set other policy cpus 1 lock off
udevadm trigger -c change -s nrdma
udevadm settle
is "which stays when udev looks again" "$(masks "$pci0" | tr ' ' '\n' | sort -u)" 1

remake rxe_eth1
ok "the other is made again: steered" within 20 steered1
udevadm settle
is "what was set by hand stays" "$(masks "$pci0" | tr ' ' '\n' | sort -u)" 1

# The file is bad: said in udev's log, and the device is left alone
echo 'polcy = local' >>/etc/nrdma/nrdma.conf
nrdmactl irq restore rxe_eth1 >/dev/null
remake rxe_eth1
udevadm settle
said() { grep -q 'nrdma.conf: line 9: no key "polcy"' "$tmp/udevd"; }
ok "a bad file is told in its log" within 20 said
is "and nothing is done" "$(policy_json rxe_eth1 .mode)" off

udevadm control --exit
wait $udevd
rdma dev set other name rxe_eth0
rm -r /etc/nrdma
is "unloads" "$(rmmod nrdma 2>&1)" ""
is "all is as it was" "$(masks "$pci0") $(masks "$pci1")" "$before0 $before1"
done_testing
