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

# moves_data SIZE...: by every operation, each byte compared by the module
moves_data() {
	local op size mib=$((1 << 20))
	for size; do
		for op in write read send pingpong; do
			ok "$op moves $size bytes" probe op "$op" size "$size" rounds 1 \
				iterations $((size < mib ? 5 : 1)) time 60
			is "and each cell has a figure" \
				"$(probed '.cells | map(select(.median > 0 and .min > 0 and .p99 >= .median)) | length')" 4
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
