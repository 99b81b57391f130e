#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: managed
# kmod: nrdma_provider
# kernels: 6.1 6.12 7.2 7.3 debug
# timeout: 240
#
# Vectors that the kernel manages, as most of a drive's are: named, with their CPUs,
# and never touched, while those beside them are steered. The drive stands for a NIC
# whose driver asks for such vectors.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/prov.sh
. "$(dirname "$0")/lib/prov.sh"

prov_begin
modprobe nvme
drive() { pci=$(basename "$(readlink -e /sys/class/nvme/nvme0/device)") && [ "$(virqs "$pci" | wc -l)" = 3 ]; }
ok "a drive of three vectors" within 60 drive
prov add drive link=ib parent="pci:$pci"

# fixed PCI: numbers of the vectors that user space may not move, nobody having locked any
fixed() {
	local v mask
	for v in $(virqs "$1"); do
		read -r mask <"/proc/irq/$v/smp_affinity"
		{ echo "$mask" >"/proc/irq/$v/smp_affinity"; } 2>/dev/null || echo "$v"
	done | paste -sd' '
}
states() { irq_json drive 'map(.state) | join(" ")'; }
managed() { irq_json drive 'map(select(.state == "managed") | "\(.irq) \(.cpus) \(.locked) \(.changer)") | join(", ")'; }

kept=$(fixed "$pci")
before=$(masks "$pci") effective=$(effective "$pci")
is "the kernel lets user space move one of them" "$(wc -w <<<"$kept")" 2
want=$(for v in $kept; do echo "$v $(cat "/proc/irq/$v/smp_affinity_list") true kernel"; done | paste -sd, | sed 's/,/, /')
is "the two others are named, with their CPUs, and by whom they are held" "$(managed)" "$want"

steer() { nrdmactl irq set drive policy cpus 2 2>&1 | grep -oE '(placed|pending|managed|failed) [0-9]+' | paste -sd' '; }
ok "a plan" nrdmactl irq set drive policy cpus 2 dry-run
is "has a CPU for the one alone" \
	"$(nrdmactl -j irq set drive policy cpus 2 dry-run | jq -r 'map(.wanted // "none") | join(" ")')" "2 none none"
is "the one is placed, the others counted" "$(steer)" "placed 1 pending 0 managed 2 failed 0"
is "which is what there is to do: status 0" "$(nrdmactl irq set drive policy cpus 2 >/dev/null; echo $?)" 0
is "so they stand" "$(states)" "placed managed managed"
is "the managed ones are where they were" "$(managed)" "$want"
is "and go where they went" "$(effective "$pci" | cut -d' ' -f2-)" "$(cut -d' ' -f2- <<<"$effective")"
is "the one is where it was wanted" "$(masks "$pci" | cut -d' ' -f1)" 2
ok "asked again, again" nrdmactl irq set drive policy cpus 2
is "nothing is said of them in the kernel's log" "$(dmesg | grep -c 'nrdma: .*\(irq\|vector\)')" 0

# ---- their CPUs go and come, and the kernel sees to them ----

cpu() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }
at() { [ "$(masks "$pci" | cut -d' ' -f1)" = "$1" ]; }
ok "the CPU goes offline" cpu 2 0
ok "the one goes elsewhere" within 10 fails at 2
is "the managed ones have their masks" "$(managed)" "$want"
ok "the CPU comes back" cpu 2 1
ok "so does the vector" within 20 at 2
is "and they still have them" "$(managed)" "$want"

# ---- the driver goes and comes back ----

# Memory of the drive's goes with its last reference, which the debug kernel delays until
# after the driver is gone: that is reported, and so the driver stays there.
if on_debug; then
	skip "the kernel reports its memory" "the driver goes and comes back"
else
	prov del drive
	is "with the device gone, all is as before" "$(masks "$pci")" "$before"
	ok "its driver goes" sh -c "echo $pci >/sys/bus/pci/drivers/nvme/unbind"
	ok "and comes back" sh -c "echo $pci >/sys/bus/pci/drivers/nvme/bind"
	ok "with three vectors" within 60 drive
	before=$(masks "$pci")
	prov add drive link=ib parent="pci:$pci"
	ok "the device that comes back is steered" within 20 at 2
	is "as it was" "$(states)" "placed managed managed"
	is "and the managed ones are left alone" "$(masks "$pci" | cut -d' ' -f2-)" "$(cut -d' ' -f2- <<<"$before")"
fi

ok "restored" nrdmactl irq restore drive
is "all have their masks" "$(masks "$pci")" "$before"
is "and are as free as they were" "$(fixed "$pci" | wc -w)" 2
prov del drive
prov_end
on_debug || rmmod nvme
ok "unloads" rmmod nrdma
done_testing
