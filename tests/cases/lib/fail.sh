# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2317
#
# For the cases in which allocations fail; run inside the guest, on the debug kernel.

# shellcheck source=tests/cases/lib/buf.sh
. "${BASH_SOURCE[0]%/*}/buf.sh"

# each ARGUMENT...: of t-fail; its checks are told, and count as one
each() {
	local status
	t-fail "$@" 2>&1 | tee "$tmp/fail" | sed -u 's/^/# /'
	status=${PIPESTATUS[0]}
	ok "t-fail $*: to its end" grep -q '^1\.\.[1-9]' "$tmp/fail"
	is "each fault as it should be" "$status $(grep -c '^not ok' "$tmp/fail")" "0 0"
}

# listen: somebody does, so that there is somebody to tell
listen() {
	nrdmactl -j monitor >"$tmp/events" 2>&1 &
	listener=$!
}

listen_no_more() {
	kill "$listener"
	wait "$listener" 2>/dev/null
}
