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
ok "nothing lingers" within 12 [ "$(buf_json length)" = 0 ]
nrdmactl pool set node "$node" cap 0 >/dev/null

ok "held over an unload" hold held t-linger "$dev" "$chardev" $((8 * mib)) 1
ok "which it does not stand in the way of" within 10 rmmod nrdma
ok "is still good" drop held
modprobe nrdma

nothing_left
done_testing
