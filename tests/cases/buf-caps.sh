#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
# timeout: 180
#
# What a user may take is bounded: by RLIMIT_MEMLOCK in a process, by the cap of
# a user over all of them, by the cap of a node over all users. Each refusal says
# which it was.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))
reason() { cut -d' ' -f1,2; }

leak_check_begin
ulimit -l unlimited

# ---- RLIMIT_MEMLOCK ----

is "over RLIMIT_MEMLOCK" "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((65 * mib))" | reason)" \
	"alloc=ENOMEM reason=3"
is "at it" "$(word zero "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))")")" 1
is "by mmap too" "$(as_user sh -c "ulimit -l 65536; t-buf map $chardev $((65 * mib))")" "mmap=ENOMEM"
is "what was let go of does not count, 20 times over" \
	"$(as_user sh -c "ulimit -l 65536; t-buf fill $chardev $((64 * mib)) 20")" "dirty=0"
is "CAP_IPC_LOCK goes over it" "$(word zero "$(sh -c "ulimit -l 64; t-buf map $chardev $((64 * mib))")")" 1

# ---- a user ----

ok "cap each user at 96 MiB" nrdmactl pool set node "$node" cap 96M
hold one as_user sh -c "ulimit -l 65536; exec t-buf hold $chardev $((64 * mib))"
is "a second process of his" \
	"$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))" | reason)" "alloc=EDQUOT reason=5"
is "gets what is left of it" \
	"$(word zero "$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((32 * mib))")")" 1
is "another user is not in his way" \
	"$(word zero "$(setpriv --reuid 1001 --clear-groups sh -c "t-buf alloc $chardev $((4 * mib))")")" 1
is "root is bounded as well" "$(t-buf alloc "$chardev" $((97 * mib)) | reason)" "alloc=EDQUOT reason=5"
is "on the other node there is room" "$(word node0 "$(t-buf alloc "$chardev" $((128 * mib)) node 0)")" $((128 << 8))
ok "the first one still has his" drop one

# Passed on, and its maker gone: still his
hold passed as_user t-pass "$chardev" $((64 * mib))
is "a buffer in flight counts" \
	"$(as_user sh -c "ulimit -l 65536; t-buf alloc $chardev $((64 * mib))" | reason)" "alloc=EDQUOT reason=5"
is "and is listed" "$(buf_json 'map(.bytes) | add')" $((64 * mib))
drop passed >/dev/null
ok "until it is gone" within 10 unused

# ---- a node ----

ok "cap the node at 128 MiB" nrdmactl pool set node "$node" cap 0 node-cap 128M
hold two t-buf hold "$chardev" $((100 * mib))
is "over all users" "$(setpriv --reuid 1001 --clear-groups t-buf alloc "$chardev" $((32 * mib)) | reason)" \
	"alloc=EDQUOT reason=5"
is "the node says what is in buffers" \
	"$(nrdmactl -j pool show | jq ".[] | select(.node == $node).buf_bytes")" $((100 * mib))
ok "it has what it took" drop two
ok "caps as they were" nrdmactl pool set node "$node" node-cap 0

nothing_left
done_testing
