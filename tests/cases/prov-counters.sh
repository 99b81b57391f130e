#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_provider
# kernels: 6.1 6.12 7.2 7.3 debug
#
# Counters that are there or not, large, growing, or cannot be read: each is told as
# it is, and none keeps the rest from being told.

# shellcheck source=tests/cases/lib/prov.sh
. "$(dirname "$0")/lib/prov.sh"

prov_begin
for how in none zero grow large fail; do
	prov add "hw_$how" link=ib counters=$how
done
for how in none zero large fail; do
	prov add "pma_$how" link=ib pma=$how
done

verdict() { nrdmactl -j check "$1" only counters | jq -r '.[0].verdict'; }
finding() { nrdmactl -j check "$1" only counters | jq -r '.[0].found // .[0].finding // .[0] | tostring'; }

is "all 0: ok" "$(verdict hw_zero)" ok
is "growing: warn" "$(verdict hw_grow)" warn
like "and names what grows" "$(finding hw_grow)" "packet_seq_err"
is "none at all: n/a" "$(verdict hw_none)" n/a
is "not to be read: n/a" "$(verdict hw_fail)" n/a
like "larger than a signed number: an answer" "$(verdict hw_large)" "^(info|warn|n/a)$"
is "of the standard, all 0: ok" "$(verdict pma_zero)" ok
is "at their end: info, they do not grow" "$(verdict pma_large)" info
is "not to be read: n/a" "$(verdict pma_fail)" n/a
ok "stat of all" nrdmactl stat
nrdmactl -j stat >"$tmp/stat"
is "each device is there" "$(jq -r 'map(.dev_name // .name) | unique | length' "$tmp/stat")" 11
is "status has eleven rows" "$(nrdmactl -j status | jq length)" 11
prov_end
done_testing
