#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_importer
#
# Another driver takes a buffer: attach, map for DMA, move data, unmap, detach; a
# buffer lives as long as a driver has it, whoever else is gone.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))

ok "the driver loads" modprobe nrdma_importer
leak_check_begin

# import SIZE: the program's checks are checks of this
import() {
	local out status
	out=$(t-import "$chardev" "$1")
	status=$?
	is "$1 bytes: none of $(grep -cE '^(not )?ok ' <<<"$out") checks fails" \
		"$(grep -E '^not ok|^Bail' <<<"$out") $status" " 0"
	grep '^#' <<<"$out"
}
import $((16 * mib))
import $((5 * mib + 12288))
import 4096

# With other memory in between, chunks are small.
nrdmactl pool set node "$node" cap 100G node-cap 100G >/dev/null
# Nor does the kernel keep more back for itself because of them.
boost=$(sysctl -n vm.watermark_boost_factor)
sysctl -q -w vm.watermark_boost_factor=0
ok "a node in pieces of 64 KiB" hold pieces t-frag "$chardev" $((256 * mib)) 65536
sed 's/^/# /' "$tmp/pieces.out"
import $((8 * mib))
out=$(t-buf alloc "$chardev" $((8 * mib)))
is "a buffer is there, in such pieces" "$(word size "$out") $(word min_chunk "$out")" "$((8 * mib)) 65536"
out=$(t-buf alloc "$chardev" $((8 * mib)) min $((2 * mib)))
is "in chunks of 2 MiB it is refused, with the reason" \
	"$(word alloc "$out") $(word reason "$out") $(word node "$out")" "ENOMEM 2 $node"
drop pieces >/dev/null
sysctl -q -w vm.watermark_boost_factor="$boost"
nrdmactl pool set node "$node" cap 0 node-cap 0 >/dev/null

ok "a driver holds a buffer" hold imp t-import hold "$chardev" $((8 * mib))
is "which nobody else has" "$(buf_json 'map(.bytes) | join(" ")')" $((8 * mib))
ok "the module is in use" fails rmmod nrdma
ok "its device goes" timeout 5 rdma link delete "$dev"
is "the buffer is an orphan" "$(buf_json 'map(.orphan) | join(" ")')" true
drop imp >"$tmp/imp"
is "its memory is kept" "$(tail -n 1 "$tmp/imp")" "kept=1"
ok "then it is gone" within 5 [ "$(buf_json length)" = 0 ]
ok "the device comes back" add_rxe

ok "a driver holds a buffer of a process" hold imp t-import hold "$chardev" $((8 * mib))
kill -KILL "${held[imp]}"
drop imp >/dev/null 2>&1
ok "which is killed: it is gone" within 5 [ "$(buf_json length)" = 0 ]

ok "the driver unloads" rmmod nrdma_importer
nothing_left
done_testing
