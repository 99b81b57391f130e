#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: sockets
# timeout: 300
# kernels: 6.1 6.12 7.2 7.3 debug
#
# CPUs go and come: vectors follow to the nearest node that has some, and come
# back by themselves. The tier says how near.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth0)
cpu() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }
dev() { nrdmactl -j dev show rxe_eth0 | jq -c ".[0]$1"; }
on() { every "$(masks "$pci")" "$@"; }

# there CPU...: that is where vectors really go. The kernel holds the CPU that a
# vector had until its first interrupt on the new one (move_in_progress), says EBUSY
# to another move until then, and leaves it pending (irq_try_set_affinity). It is
# done at the next interrupt, or the one after that, when the first has yet to give
# the old CPU's slot back. So who came twice is there, and who is not has not.
there() {
	local i n=0 tries=0
	local -a was now at state
	read -ra was <<<"$(counts "$pci")"
	while [ "$n" -lt 4 ] && [ $((tries += 1)) -le 5 ]; do
		busy eth0
		read -ra now <<<"$(counts "$pci")"
		n=0
		for i in "${!was[@]}"; do
			[ $((now[i] - was[i])) -lt 2 ] || n=$((n + 1))
		done
	done
	read -ra at <<<"$(effective "$pci")"
	read -ra state <<<"$(irq_json rxe_eth0 'sort_by(.irq) | map(.state) | join(" ")')"
	for i in "${!was[@]}"; do
		echo "$i: came $((now[i] - was[i])) times, on ${at[i]}, ${state[i]}"
		every "${at[i]}" "$@" >/dev/null && continue
		[ "${state[i]}" = pending ] && [ $((now[i] - was[i])) -lt 2 ] || return 1
	done
	echo "$n came twice"
	[ "$n" -ge 4 ]
}
why() { events 'select(.event == "resteered") | .why'; }

is "on node 3" "$(dev '| [.node, .tier]')" '[3,"node"]'
ok "steers" nrdmactl irq set rxe_eth0 policy local
placed=$(masks "$pci")
ok "to node 3, at once" every "$(effective "$pci")" 6 7
is "and all are told as placed" "$(policy_json rxe_eth0 .placed)" "$(virqs "$pci" | wc -l)"
events_begin

cpu 7 0
ok "one CPU goes: the other takes all" within 5 on 6
ok "really" there 6
ok "told, with the reason" within 5 grep -q "a CPU went offline" "$tmp/events"
cpu 6 0
ok "the last one goes: node 2, in the same socket" within 5 on 4 5
ok "really" there 4 5
is "tier socket" "$(dev '| [.cpu_node, .tier]')" '[[2],"socket"]'
ok "said in the kernel log" sh -c 'dmesg | grep -q "nrdma: .*no CPU of its node is online"'
cpu 4 0
cpu 5 0
ok "the socket is gone: both nodes of the other, equally near" within 5 on 0 1 2 3
ok "really" there 0 1 2 3
is "tier rest" "$(dev '| [.cpu_node, .tier]')" '[[0,1],"rest"]'
is "all four CPUs" "$(masks "$pci" | tr ' ' '\n' | sort -u | paste -sd' ')" "0 1 2 3"
is "still locked" "$(irq_json rxe_eth0 'map(.locked) | all')" true

for c in 4 5 6 7; do cpu $c 1; done
back() { [ "$(masks "$pci")" = "$placed" ]; }
ok "CPUs are back: so is every vector" within 5 back
ok "really" there 6 7
ok "told, with the reason" within 5 grep -q "a CPU came online" "$tmp/events"
is "tier node" "$(dev '| [.cpu_node, .tier]')" '[[3],"node"]'

# virtio_net places its vectors anew with each CPU, e1000e does not. What the
# kernel does to them is no drift with the lock off either.
pci1=$(pci_of eth1)
ok "another NIC, unlocked" nrdmactl irq set rxe_eth1 policy local lock off
placed=$(masks "$pci1")
ok "to node 3" every "$(effective "$pci1")" 6 7
cpu 7 0
on6() { every "$(masks "$pci1")" 6; }
ok "the vectors of a CPU that goes are placed again" within 5 on6
cpu 7 1
back1() { [ "$(masks "$pci1")" = "$placed" ]; }
ok "and are back with it" within 5 back1
is "none is told as drifted" "$(events 'select(.dev_name == "rxe_eth1" and .event == "drifted") | .why')" ""

# What somebody else moved stays with him when the CPU goes that it once had.
v=$(virqs "$pci1" | tail -n1)
own=$(cat "/proc/irq/$v/smp_affinity_list")
echo 1 >"/proc/irq/$v/smp_affinity_list"
at() { [ "$(cat "/proc/irq/$v/smp_affinity_list")" = "$1" ]; }
off_own() { ! grep -qw "$own" <<<"$(masks "$pci1")"; }
cpu "$own" 0
ok "the vectors of CPU $own are placed again" within 5 off_own
ok "one that somebody else had moved is not" at 1
cpu "$own" 1
on_own() { grep -qw "$own" <<<"$(masks "$pci1")"; }
ok "the others are back" within 5 on_own
ok "that one is his still" at 1
ok "restored" nrdmactl irq restore rxe_eth1
ok "all but that one" at 1
events_end
echo "# $(why | sort | uniq -c | tr '\n' ',')"

ok "restored" nrdmactl irq restore rxe_eth0
ok "open to user space" moves "$pci"
# The kernel has lost the masks of CPUs that went; the case irq-rounds holds what
# comes of it against a NIC that was never steered.
unload_proves "$pci" "$(masks "$pci")"
done_testing
