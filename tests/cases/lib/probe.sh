# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used by those who source it
#
# For the cases about probes; run inside the guest.

# shellcheck source=tests/cases/lib/buf.sh
. "${BASH_SOURCE[0]%/*}/buf.sh"

# probe KEY VALUE...: one measurement of each cell unless the keys say otherwise
probe() { nrdmactl -j probe "$dev" "$@" >"$tmp/probe" 2>"$tmp/probe.err"; }
probed() { jq -r ".[0]$1" "$tmp/probe"; }

# What the kernel holds of the device, and how many; its number is another one each
# time it is added
resources() { rdma resource show "$dev" | sed 's/^[0-9]*: //'; }
threads() { pgrep -c nrdma_probe; }

# begin KEY VALUE...: one that goes on, by the process $reader
begin() {
	nrdmactl -j probe "$dev" "$@" >"$tmp/probe" 2>"$tmp/probe.err" &
	reader=$!
}

# running: a run is under way; each measurement's thread is short-lived
running() { ! unused; }

# move OP SIZE: in every cell, $figures of which then have one. On the debug kernel each
# of the large by itself: all of them may take longer than the minute that there is.
move() {
	local op=$1 size=$2 n=5 cell cells=('')
	if [ "$size" -ge $((1 << 20)) ]; then
		n=1
		! on_debug || cells=("mem-node "{0,1}" cpu-node "{0,1})
	fi
	figures=0
	for cell in "${cells[@]}"; do
		# shellcheck disable=SC2086 # words
		probe op "$op" size "$size" rounds 1 iterations "$n" time 60 $cell || return
		figures=$((figures + $(probed '.cells |
			map(select(.median > 0 and .min > 0 and .p99 >= .median)) | length')))
	done
}

# moves_data SIZE...: by every operation, each byte compared by the module
moves_data() {
	local op size
	for size; do
		for op in write read send pingpong; do
			ok "$op moves $size bytes" move "$op" "$size"
			is "and each cell has a figure" "$figures" 4
		done
	done
}

# in_time WHAT KEY VALUE...: it cannot be measured, and ends with its time
in_time() {
	local what=$1
	shift
	timeout 20 nrdmactl probe "$dev" time 2 rounds 1 "$@" >"$tmp/probe" 2>&1
	is "$what: it ends with its time" $? 0
	like "and says so" "$(cat "$tmp/probe")" "the time is up"
}

# nothing_of_probe BEFORE: nothing is left of it
nothing_of_probe() {
	is "no thread is left" "$(threads)" 0
	is "the kernel has of the device what it had" "$(resources)" "$1"
}
