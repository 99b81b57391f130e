#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: managed
#
# The machine is what the topology says: vectors that the kernel manages, and
# interrupts that are remapped.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

ok "interrupts are remapped" sh -c 'dmesg | grep -qE "Enabled IRQ remapping|IR-PCI"'
ok "the drive is there" sh -c 'modprobe nvme; for n in $(seq 100); do [ -e /dev/nvme0n1 ] && exit; sleep 0.1; done; [ -e /dev/nvme0 ]'
nvme=$(basename "$(readlink -f /sys/class/nvme/nvme0/device)")
held() {
	local v mask
	for v in $(virqs "$nvme"); do
		read -r mask <"/proc/irq/$v/smp_affinity"
		echo "$mask" >"/proc/irq/$v/smp_affinity" || return 0
	done
	return 1
}
ok "a vector of it cannot be moved" held
done_testing
