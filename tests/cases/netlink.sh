#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
# kernels: all
#
# Netlink requests that no tool would send are refused, the attribute at fault is
# named, and nothing has changed.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

state() { nrdmactl -j dev show | jq -c 'map([.name, .node, .policy])'; nrdmactl -j pool show | jq -c 'map([.node, .bytes, .chunk_bytes])'; }

before=$(state)
t-nl "$dev" >"$tmp/nl"
status=$?
sed 's/^/# /' "$tmp/nl"
is "t-nl" "$status" 0
is "each is refused as it should be" "$(grep -c '^not ok' "$tmp/nl")" 0
ok "it came to its end" grep -q '^1\.\.[1-9]' "$tmp/nl"
is "nothing has changed" "$(state)" "$before"
as_user unshare -Urn nrdmactl irq set "$dev" policy local >"$tmp/ns" 2>&1
is "root of a namespace of his own is refused" "$?" 2
is "and nothing has changed by that" "$(state)" "$before"
# Less than a page must not become 0, the default
page=$(($(awk '/^KernelPageSize/ { print $2; exit }' /proc/self/smaps) << 10))
default_cap=$(nrdmactl -j pool show | jq '.[0].uid_cap')
nrdmactl pool set node 0 cap 1 >/dev/null
is "a cap of a byte is a page" "$(nrdmactl -j pool show | jq '.[0].uid_cap')" "$page"
nrdmactl pool set node 0 cap 0 >/dev/null
is "a cap of 0 is the default" "$(nrdmactl -j pool show | jq '.[0].uid_cap')" "$default_cap"
done_testing
