#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# Offset N shows page N, and nothing past the end; two mappings share; parts may be
# unmapped, moved, protected. All that is malformed is refused.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin
ulimit -l unlimited
for program in t-buf-offsets t-buf-errors; do
	timeout 60 $program "$chardev" >"$tmp/tap"
	status=$?
	sed 's/^/# /' "$tmp/tap"
	is "$program: status" "$status" 0
	ok "$program: to its end" grep -q '^1\.\.[1-9]' "$tmp/tap"
done
nothing_left
done_testing
