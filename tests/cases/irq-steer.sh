#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# Steer, lock, refuse user space, restore. Every mask is read back from /proc/irq.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

# One that never comes cannot move without remapping, and is told as pending.
came_is_there() {
	local v n=0 mask now state
	for v in $(virqs "$pci"); do
		read -r mask <"/proc/irq/$v/smp_affinity_list"
		read -r now <"/proc/irq/$v/effective_affinity_list"
		state=$(irq_json rxe_eth1 ".[] | select(.irq == $v) | .state")
		echo "$v: $mask, now $now: $state"
		case $state in
		placed) [ "$mask" = "$now" ] || return; n=$((n + 1)) ;;
		pending) ;;
		*) return 1 ;;
		esac
	done
	echo "$n placed"
	[ "$n" -ge 4 ]
}

pci=$(pci_of eth1)
other=$(pci_of eth0)
before=$(masks "$pci")
before_other=$(masks "$other")

is "vectors come from the function's MSI descriptors" \
	"$(irq_json rxe_eth1 'map(.irq) | join(" ")')" "$(virqs "$pci" | paste -sd' ')"
is "off to begin with" "$(policy_json rxe_eth1 .mode)" off

nrdmactl -j irq set rxe_eth1 policy spread dry-run >"$tmp/plan"
is "dry-run moves nothing" "$(masks "$pci")" "$before"
is "nor does it change the policy" "$(policy_json rxe_eth1 .mode)" off
is "and tells a CPU for each vector" "$(jq -r 'map(select(.wanted)) | length' "$tmp/plan")" 9
is "near node first" "$(jq -r '.[0:2] | map(.wanted) | sort | join(" ")' "$tmp/plan")" "2 3"

# ---- local ----

ok "steers to the device's node" nrdmactl irq set rxe_eth1 policy local
busy eth1
ok "each vector may go to CPUs of node 1 only" every "$(masks "$pci")" 2 3
is "where nrdma said" "$(masks "$pci")" "$(wanted rxe_eth1)"
is "both CPUs get as many" "$(masks "$pci" | tr ' ' '\n' | sort | uniq -c | awk '{ print $1 }' |
	sort | paste -sd' ')" "4 5"
ok "what came since is there" came_is_there
is "a plan to switch off wants nothing" \
	"$(nrdmactl -j irq set rxe_eth1 policy off dry-run | jq -c 'map(.wanted) | unique')" "[null]"
is "counted as they are" "$(policy_json rxe_eth1 '| .vectors - .placed - .pending')" 0
is "the other NIC is left alone" "$(masks "$other")" "$before_other"

ok "user space cannot move them" locked "$pci"
is "told as locked" "$(irq_json rxe_eth1 'map(.locked) | all')" true
ok "the other NIC's can be" moves "$other"

# ---- other policies ----

ok "spread" nrdmactl irq set rxe_eth1 policy spread
is "uses all CPUs" "$(masks "$pci" | tr ' ' '\n' | sort -u | paste -sd' ')" "0 1 2 3"
ok "node 0" nrdmactl irq set rxe_eth1 policy node 0
ok "is where they go" every "$(masks "$pci")" 0 1
ok "CPUs by list" nrdmactl irq set rxe_eth1 policy cpus 1,3
ok "are where they go" every "$(masks "$pci")" 1 3
ok "local without CPU 2" nrdmactl irq set rxe_eth1 policy local exclude 2
ok "is CPU 3 alone" every "$(masks "$pci")" 3
is "what is absent from a request stays" "$(nrdmactl -j irq set rxe_eth1 policy local | jq -r '.[0].policy.exclude')" 2
ok "and with nothing excluded" nrdmactl irq set rxe_eth1 exclude none
is "both again" "$(masks "$pci" | tr ' ' '\n' | sort -u | paste -sd' ')" "2 3"

# ---- lock off ----

ok "unlocked" nrdmactl irq set rxe_eth1 lock off
ok "user space may move them" moves "$pci"
ok "and off" nrdmactl irq set rxe_eth1 policy off
ok "leaves them where they are" every "$(masks "$pci")" 2 3
is "as idle" "$(irq_json rxe_eth1 'map(.state) | unique | join(" ")')" idle

# ---- the way back ----

ok "restores" nrdmactl irq restore rxe_eth1
is "to the masks that were there before" "$(masks "$pci")" "$before"
ok "open to user space" moves "$pci"

nrdmactl irq set rxe_eth1 policy local
victim=$(virqs "$pci" | sed -n 3p)
nrdmactl irq set rxe_eth1 lock off
echo 1 >"/proc/irq/$victim/smp_affinity"
is "what somebody else has moved is not ours" \
	"$(nrdmactl -j irq restore rxe_eth1 | jq -r '.[0].policy.drifted')" 1
is "and stays" "$(cat "/proc/irq/$victim/smp_affinity_list")" 0
is "the rest is back" "$(masks "$pci" | cut -d' ' -f1-2,4-)" "$(echo "$before" | cut -d' ' -f1-2,4-)"

# ---- unload ----

before=$(masks "$pci")
nrdmactl irq set rxe_eth1 policy spread lock off
echo 2 >"/proc/irq/$victim/smp_affinity"
unload_proves "$pci" "$(awk '{ $3 = 1 } 1' <<<"$before")"
ok "but one, as the log says" grep -q "1 vectors stay as somebody else has put them" <(dmesg)
is "the other NIC's, too" "$(masks "$other")" "$before_other"
done_testing
