#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# What every other case takes for granted: the machine is as described, tools are
# there, the RDMA devices work.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

is "two nodes with memory" "$(cat /sys/devices/system/node/has_memory)" 0-1
for n in 0 1; do
	is "node $n: two CPUs" "$(cat /sys/devices/system/node/node$n/cpulist)" $((2 * n))-$((2 * n + 1))
	is "eth$n: on node $n" "$(cat "/sys/bus/pci/devices/$(pci_of eth$n)/numa_node")" $n
	is "eth$n: four queues and the configuration are vectors" "$(virqs "$(pci_of eth$n)" | wc -l)" 9
	is "rxe_eth$n: active" "$(rdma link show rxe_eth$n/1 | grep -o 'state ACTIVE')" "state ACTIVE"
done
is "as far apart as they were made" "$(cat /sys/devices/system/node/node0/distance)" "10 20"

for c in bash nrdmactl ibv_devinfo ib_write_bw ib_read_lat numactl ip rdma ethtool irqbalance lspci \
	taskset unshare setpriv modprobe jq; do
	ok "$c" command -v $c
done
ok "who is not root finds them, too" setpriv --reuid 1000 --regid 1000 --clear-groups ibv_devices
is "in the place of $HOME" "$(id -u):$HOME" "0:/root"

ibv_rc_pingpong -d rxe_eth1 -g 1 -n 50 >"$tmp/server" 2>&1 &
server=$!
within 10 sh -c 'ss -Hltn | grep -q :18515'
ok "RDMA works" ibv_rc_pingpong -d rxe_eth1 -g 1 -n 50 127.0.0.1
wait $server
is "at the other end, too" $? 0

done_testing
