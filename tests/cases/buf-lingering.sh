#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 600
#
# A registration that outlives its buffer: nobody else gets a page that a NIC may
# still write, the user is charged until it lets go, and the operator sees it.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))
none_listed() { [ "$(buf_json length)" = 0 ]; }

leak_check_begin

for pool in 0 64M; do
	nrdmactl pool set node "$node" size "$pool" >/dev/null
	out=$(t-linger "$dev" "$chardev" $((4 * mib)) "${ROUNDS:-1000}" </dev/null)
	is "pool of $pool: no page is shared, and freed ones come again" "$(grep -c '^not ok' <<<"$out")" 0
	echo "${out//$'\n'/$'\n# '}" | sed '1s/^/# /'
done
nrdmactl pool set node "$node" size 0 >/dev/null

ok "with it held" hold held t-linger "$dev" "$chardev" $((8 * mib)) 1
is "what is pinned is listed" "$(buf_json 'map(select(.lingering)) | length')" 1
is "with its size" "$(buf_json '.[0].bytes')" $((8 * mib))
ok "cap the user at that" nrdmactl pool set node "$node" cap 8M
is "it counts against him" "$(t-buf alloc "$chardev" 4096 | cut -d' ' -f1,2)" "alloc=EDQUOT reason=5"
ok "the module is not held by it" within 10 unused
ok "the registration ends" drop held
is "and so does the charge, at once" "$(word zero "$(t-buf alloc "$chardev" $((8 * mib)))")" 1
ok "nothing lingers" within 12 none_listed
nrdmactl pool set node "$node" cap 0 >/dev/null

ok "with its first and third chunk held" \
	hold held t-linger "$dev" "$chardev" $((8 * mib)) 1 $((2 * mib))
freed() { [ "$(buf_json 'map(select(.lingering).bytes) | add')" = $((4 * mib)) ]; }
ok "the others are freed" within 10 freed
is "what is left of it lies where it lay" \
	"$(buf_json '[.[] | select(.lingering).run[] | [.offset, .bytes]] | @json')" \
	"[[0,$((2 * mib))],[$((4 * mib)),$((2 * mib))]]"
ok "they end" drop held
ok "nothing lingers" within 12 none_listed

ok "held over an unload" hold held t-linger "$dev" "$chardev" $((8 * mib)) 1
ok "which it does not stand in the way of" within 10 rmmod nrdma
ok "is still good" drop held
modprobe nrdma

nothing_left
done_testing
