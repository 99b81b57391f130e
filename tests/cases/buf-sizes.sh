#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 240
#
# Any size up to what the node has: a page, 8 MiB, 1 GiB, odd ones. What does not
# fit fails with node, wanted and free, leaves nothing behind, and the device
# goes on.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

leak_check_begin
ulimit -l unlimited
ok "caps out of the way" nrdmactl pool set node "$node" cap 1400M

mib=$((1 << 20))
for bytes in 1 4096 4097 8192 65536 $((2 * mib)) $((2 * mib + 4096)) $((4 * mib)) $((8 * mib)) \
	$((8 * mib - 1)) $((31 * mib + 12345)) $((256 * mib)) $((1024 * mib)); do
	pages=$(((bytes + 4095) / 4096))
	out=$(t-buf alloc "$chardev" "$bytes")
	is "$bytes bytes" "$(word size "$out") $(word zero "$out") $(word unseen "$out")" \
		"$((pages * 4096)) 1 0"
	is "all $pages pages on node $node, to the kernel" "$(word "node$node" "$out")" "$pages"
	is "and by mmap" "$(word "node$node" "$(t-buf map "$chardev" "$bytes")")" "$pages"
done

min=$((2 * mib))
out=$(t-buf alloc "$chardev" $((9 * mib)) min $min)
is "in chunks of 2 MiB" "$(word size "$out") $(word min_chunk "$out")" "$((10 * mib)) $min"
# The kernel aligns mappings of the device, not those of a dma-buf
is "mapped by large page table entries" "$(word pmd "$(t-buf map "$chardev" $((10 * mib)))")" $((10 * mib))

# Memory that was somebody else's before is mapped so, too
numactl -m "$node" dd if=/dev/zero of=/dev/null bs=600M count=1 2>/dev/null
is "also what others had" "$(word pmd "$(t-buf map "$chardev" $((512 * mib)))")" $((512 * mib))

full_again() { free_again && [ "$(buf_json length)" = 0 ]; }
for bytes in $((3072 * mib)) $((1 << 40)) $((1 << 45)); do
	out=$(t-buf alloc "$chardev" "$bytes")
	is "$bytes bytes: refused, the node named" \
		"$(word alloc "$out") $(word reason "$out") $(word node "$out")" "ENOMEM 1 $node"
	is "with what is free there" \
		"$(($(word available "$out") / mib > 1000 && $(word available "$out") / mib < 1536))" 1
	is "and by mmap" "$(t-buf map "$chardev" "$bytes")" "mmap=ENOMEM"
done
# Within what meminfo promises, and yet more than can be had at the end
want=$(($(node_free "$node") * 1024 + 300 * mib))
nrdmactl pool set node "$node" cap 100G >/dev/null
out=$(t-buf alloc "$chardev" "$want")
is "a little more than there is" "$(word alloc "$out")" ENOMEM
ok "nothing of it is left allocated" within 20 full_again
ok "the device node is there" test -c "$chardev"
is "and works" "$(word zero "$(t-buf alloc "$chardev" $((8 * mib)))")" 1
ok "so does the other" test -c /dev/nrdma/rxe_eth0

nothing_left
done_testing
