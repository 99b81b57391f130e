#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: twins
# timeout: 1200
# parallel: yes
#
# Random set, restore, CPU offline and online, device remove and add, rename,
# channels. At the end a restore gives the masks, and the freedom to change them,
# that the twin has, which went through the same and was never steered: the kernel
# itself rewrites masks when CPUs go. ROUNDS and SEED may be given.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

rounds=${ROUNDS:-500}
RANDOM=${SEED:-1}
pci=$(pci_of eth1)
twin=$(pci_of eth0)
name=rxe_eth1
renamed=0

cpu() { { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; } 2>/dev/null; }

# op: one of them; what cannot be done now is refused, which is well
op() {
	local policy lock
	case $((RANDOM % 8)) in
	0|1)
		case $((RANDOM % 4)) in
		0) policy="local" ;;
		1) policy="spread" ;;
		2) policy="cpus $((RANDOM % 2)),$((2 + RANDOM % 2))" ;;
		3) policy="off" ;;
		esac
		[ $((RANDOM % 2)) = 0 ] && lock=on || lock=off
		# shellcheck disable=SC2086 # words
		nrdmactl irq set $name policy $policy lock $lock
		;;
	2) nrdmactl irq restore $name ;;
	3) cpu $((1 + RANDOM % 3)) 0 ;;
	4) cpu $((1 + RANDOM % 3)) 1 ;;
	5)
		if nrdmactl irq show $name; then
			rdma link delete $name
		else
			rdma link add $name type rxe netdev eth1
		fi
		;;
	6)
		renamed=$((renamed + 1))
		rdma dev set $name name r$renamed && name=r$renamed
		;;
	7)
		policy=$((1 + RANDOM % 4))
		channels eth0 $policy
		channels eth1 $policy
		;;
	esac
}

same() {
	local a b
	a=$(masks "$twin") b=$(masks "$pci")
	echo "twin: $a"
	echo "ours: $b"
	[ -n "$a" ] && [ "$a" = "$b" ]
}

is "the twins are alike" "$(masks "$pci")" "$(masks "$twin")"
for ((round = 1; round <= rounds; round++)); do
	op >/dev/null 2>&1
	[ $((round % 50)) = 0 ] || [ $round = "$rounds" ] || continue
	for c in 1 2 3; do cpu $c 1; done
	rdma link add $name type rxe netdev eth1 2>/dev/null
	# What runs because of the CPUs
	within 5 nrdmactl irq show $name >/dev/null
	sleep 0.5
	ok "round $round: restores" nrdmactl irq restore $name
	ok "round $round: as the twin is" same
	ok "round $round: as free as the twin's" moves "$pci"
done

rdma dev set $name name rxe_eth1 2>/dev/null
unload_proves "$pci" "$(masks "$twin")"
done_testing
