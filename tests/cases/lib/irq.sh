# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2317
#
# For the cases about nodes and interrupts; run inside the guest. What nrdma says
# is never believed: masks are read from /proc/irq, vectors from sysfs.

# shellcheck source=tests/cases/lib/tap.sh
. "${BASH_SOURCE[0]%/*}/tap.sh"

# ---- what the kernel says ----

# pci_of NETDEV: its PCI function
pci_of() {
	local d
	d=$(readlink -f "/sys/class/net/$1/device") || return
	while [ "$(basename "$(readlink -f "$d/subsystem")")" != pci ]; do
		d=${d%/*}
	done
	echo "${d##*/}"
}

# virqs PCI: the numbers of its vectors
virqs() {
	local v
	for v in "/sys/bus/pci/devices/$1/msi_irqs/"*; do
		[ -e "$v" ] && echo "${v##*/}"
	done | sort -n
}

# read_irqs FILE PCI: /proc/irq/N/FILE of each vector, on one line
read_irqs() {
	local v files=()
	for v in $(virqs "$2"); do
		files+=("/proc/irq/$v/$1")
	done
	[ ${#files[@]} = 0 ] || cat "${files[@]}" | paste -sd' '
}

masks() { read_irqs smp_affinity_list "$1"; }
effective() { read_irqs effective_affinity_list "$1"; }

# every LIST CPU...: there is a number in LIST, and each is one of CPU...
every() {
	local n c
	[ -n "$1" ] || return
	for n in $1; do
		for c in "${@:2}"; do
			[ "$n" = "$c" ] && continue 2
		done
		echo "$n of: $1"
		return 1
	done
}

# counts PCI: how often each of its vectors came
counts() {
	awk -v virqs="$(virqs "$1")" '
		BEGIN {
			split(virqs, list)
			for (i in list)
				is[list[i] ":"]
		}
		$1 in is {
			n = 0
			for (i = 2; $i ~ /^[0-9]+$/; i++)
				n += $i
			print n
		}' /proc/interrupts | paste -sd' '
}

# busy NETDEV: interrupts on its queues, both ways. Without interrupt remapping a
# vector moves at its next interrupt only. A tap answers on the queue that was asked
# on; what is for everybody (ff02::1), all on one.
busy() {
	local cpu pids=()
	for cpu in $(seq 0 $(($(nproc --all) - 1))); do
		taskset -c "$cpu" timeout 30 ping -q -6 -i 0.002 -c 40 "fe80::2%$1" >/dev/null 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	return 0
}

# awake COMMAND...: while no CPU sleeps for long, since nrdma's check wakes none
awake() {
	local cpu status pids=()
	for cpu in $(seq 0 $(($(nproc --all) - 1))); do
		taskset -c "$cpu" bash -c 'while sleep 0.5; do :; done' >/dev/null 2>&1 &
		pids+=($!)
	done
	"$@"
	status=$?
	kill "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
	return $status
}

# channels NETDEV N: that many. The queues that go leave sysfs later where the debug
# kernel delays it, and the network core cannot make them again before.
channels() {
	ethtool -L "$1" combined "$2" && within 10 has_queues "$1" "$2"
}

has_queues() {
	local q=("/sys/class/net/$1/queues/"rx-*)
	[ ${#q[@]} = "$2" ]
}

# ---- what nrdma says ----

# irq_json DEV FILTER: of nrdmactl irq show
irq_json() { nrdmactl -j irq show "$1" | jq -r "$2"; }
policy_json() { nrdmactl -j dev show "$1" | jq -r ".[0].policy$2"; }
wanted() { irq_json "$1" 'map(.wanted) | join(" ")'; }

# listens [PID]: somebody does to a group of generic netlink, in the network namespace
# of that process
listens() {
	awk '$2 == 16 && $4 != "00000000" { found = 1 } END { exit !found }' \
		"/proc/${1:-self}/net/netlink"
}

# events_begin; events FILTER; events_end: what nrdmactl monitor tells meanwhile
events_begin() {
	nrdmactl -j monitor >"$tmp/events" 2>&1 &
	monitor=$!
	# It hears everything from when its socket has joined a group.
	within 5 listens
}

events() { jq -r "select(.object == \"irq\") | $1" "$tmp/events"; }

events_end() {
	kill "$monitor"
	wait "$monitor" 2>/dev/null
}

# unload_proves PCI MASKS: after unload the function is as it was before
unload_proves() {
	ok "unloads" rmmod nrdma
	is "after it the masks of $1 are as they were" "$(masks "$1")" "$2"
	ok "and its vectors can be moved again" moves "$1"
	ok "nothing is left in /dev" test ! -e /dev/nrdma
}

# moves PCI: user space may write each vector's mask (which is written back)
moves() {
	local v mask
	for v in $(virqs "$1"); do
		read -r mask <"/proc/irq/$v/smp_affinity"
		echo "$mask" >"/proc/irq/$v/smp_affinity" || return 1
	done
}

# locked PCI: user space may move none of its vectors (EIO up to 6.1, EPERM after)
locked() {
	local v
	for v in $(virqs "$1"); do
		if echo 1 >"/proc/irq/$v/smp_affinity"; then
			echo "irq $v was moved"
			return 1
		fi 2>"$tmp/locked"
		grep -qE 'Input/output error|not permitted' "$tmp/locked" || {
			cat "$tmp/locked"
			return 1
		}
	done
}
