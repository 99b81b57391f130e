#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 180
# parallel: yes
#
# Pools: memory set aside on a node, warm and zeroed, for those who may; shown as
# it is, resized live, and given back.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

size=$((128 << 20))

pool_json() { nrdmactl -j pool show | jq -r ".[] | select(.node == $node) | $1"; }
ready() { [ "$(pool_json .ready_bytes)" = "$1" ]; }
# filler_ticks: CPU time that its thread has had, in hundredths of a second
filler_ticks() { sed 's/.*) //' "/proc/$(pgrep -x "nrdma_pool/$node")/stat" | awk '{ print $12 + $13 }'; }
settled() { [ "$(pool_json '.dirty_bytes + (if .ready_bytes + .used_bytes == .bytes then 0 else 1 end)')" = 0 ]; }

leak_check_begin
ulimit -l unlimited
is "one pool a node, all empty" "$(nrdmactl -j pool show | jq -c 'map([.node, .bytes])')" '[[0,0],[1,0]]'

free=$(node_free "$node")
ok "set 128 MiB" nrdmactl pool set node "$node" size 128M
ok "it fills by itself" within 30 ready "$size"
now=$(node_free "$node")
# Something else of the kernel's may have become free meanwhile
ok "the node's memory went there: $((free - now)) KiB" test $((free - now)) -ge $(((size >> 10) - 2048))
ok "none of the other's" test "$(nrdmactl -j pool show | jq '.[0].ready_bytes')" = 0
is "a chunk is what a PMD maps" "$(pool_json .chunk_bytes)" $((2 << 20))

out=$(t-buf alloc "$chardev" $((64 << 20)))
is "a buffer from it is zero" "$(word zero "$out")" 1
is "and on the node" "$(word "node$node" "$out")" $((64 << 8))
ok "what was used is zeroed and there again" within 30 ready "$size"
rounds=$((${ROUNDS:-40} < 40 ? ROUNDS : 40))
is "by pattern, $rounds times over" "$(t-buf fill "$chardev" "$size" "$rounds")" "dirty=0"
ok "and again" within 30 settled

# With a pool, what the node has free is no bound; what it has at all is
is "more than a node can have" \
	"$(t-buf alloc "$chardev" $((1 << 45)) | grep -o 'alloc=[A-Z]* reason=[0-9]*')" "alloc=ENOMEM reason=1"
is "of the pool alone" \
	"$(t-buf alloc "$chardev" $((1 << 45)) pool | grep -o 'alloc=[A-Z]* reason=[0-9]*')" "alloc=ENOMEM reason=12"

ok "somebody has 64 MiB" hold warm t-buf hold "$chardev" $((64 << 20))
is "listed as warm" "$(buf_json '.[0].warm_bytes')" $((64 << 20))
is "and as charged to no memory cgroup" "$(buf_json '.[0].uncharged_bytes')" $((64 << 20))
is "the pool says who has it" "$(pool_json .used_bytes)" $((64 << 20))
ok "shrink it below what is used" nrdmactl pool set node "$node" size 32M
ok "what was free goes at once" within 30 ready 0
ok "or to nothing" nrdmactl pool set node "$node" size 0
ticks=$(filler_ticks)
sleep 1
ticks=$(($(filler_ticks) - ticks))
ok "what is used is waited for, not looked for: $ticks ticks in 1 s" test "$ticks" -lt 5
ok "32 MiB, after all" nrdmactl pool set node "$node" size 32M
drop warm >/dev/null
ok "the rest when it is given back" within 30 ready $((32 << 20))

# ---- for whom ----

is "a plain user gets none of it" "$(as_user t-buf map "$chardev" 4096 | grep -c zero=1)" 1
is "nor any by asking for nothing else" \
	"$(as_user t-buf alloc "$chardev" $((2 << 20)) pool | cut -d' ' -f1,2)" "alloc=ENOMEM reason=12"
ok "open it to a group" nrdmactl pool set node "$node" group 1000
is "whose members get it" "$(as_user t-buf alloc "$chardev" $((2 << 20)) pool | grep -c 'warm=2097152')" 1
ok "and to nobody again" nrdmactl pool set node "$node" group none
is "not more than there is, and it says what that is" \
	"$(t-buf alloc "$chardev" $((64 << 20)) pool)" "alloc=ENOMEM reason=12 node=$node available=$((32 << 20))"
is "a size is rounded up to its chunk" "$(word size "$(t-buf alloc "$chardev" 4096 pool)")" $((2 << 20))

# ---- what is refused ----

refused "more than the node has" "not that much memory" nrdmactl pool set node "$node" size 64G
refused "a node that is not there" "node" nrdmactl pool set node 7 size 1M
refused "a chunk that is none" "chunk" nrdmactl pool set node "$node" chunk 3M
refused "another chunk while there is memory" "chunk" nrdmactl pool set node "$node" chunk 64K
is "nothing of it has changed" "$(pool_json '"\(.bytes) \(.chunk_bytes)"')" "$((32 << 20)) $((2 << 20))"
ok "with none there is another chunk to be had" nrdmactl pool set node "$node" size 0
ok "once it is empty" within 30 ready 0
ok "64 KiB" nrdmactl pool set node "$node" chunk 64K size 1M
ok "which fills" within 30 ready $((1 << 20))
is "a buffer of many of them is warm" "$(word warm "$(t-buf alloc "$chardev" $((1 << 20)))")" $((1 << 20))
ok "once they are zero again" within 30 ready $((1 << 20))
is "what is larger than the pool is so in part" "$(word warm "$(t-buf alloc "$chardev" $((5 << 19)))")" $((1 << 20))
is "but has no chunk smaller than was asked for" \
	"$(word warm "$(t-buf alloc "$chardev" $((4 << 20)) min $((2 << 20)))")" 0
refused "by a user" "CAP_NET_ADMIN" as_user nrdmactl pool set node "$node" size 0

# ---- under pressure ----

ok "back to nothing" nrdmactl pool set node "$node" size 0
ok "once it is empty" within 30 ready 0
ok "256 MiB, to be kept" nrdmactl pool set node "$node" chunk 2M size 256M shrink off
ok "is filled" within 30 ready $((256 << 20))
echo 100 >/sys/module/nrdma/parameters/uid_cap
echo 100 >/sys/module/nrdma/parameters/node_cap
# More than is free beside the pool, for somebody who may not use that
more() { as_user t-buf alloc "$chardev" $((all + (64 << 20))) cold | cut -d' ' -f1-3; }
all=$(($(node_free "$node") << 10))
is "a buffer that the node has no room for beside it" "$(more)" "alloc=ENOMEM reason=1 node=$node"
is "has taken none of it" "$(pool_json .ready_bytes)" $((256 << 20))
ok "now it may shrink" nrdmactl pool set node "$node" shrink on
is "the buffer is made" "$(more)" ""
is "and the pool has given" "$(pool_json '.ready_bytes + .dirty_bytes < .bytes - 33554432')" true
is "it is not filled again by itself" "$(pool_json '.used_bytes')" 0
ok "but once it is used" t-buf alloc "$chardev" $((2 << 20))
ok "it fills" within 30 ready $((256 << 20))

# All that the node has, in whole chunks, some of which others use
all=$(($(awk '/MemTotal/ { print $4 }' "/sys/devices/system/node/node$node/meminfo") >> 11 << 1))
ok "all of the node" nrdmactl pool set node "$node" size ${all}M shrink off
short() { [ "$(pool_json .error)" = -12 ]; }
ok "is not filled, and the reason is told" within 60 short
ok "but it has most of it" test "$(pool_json .ready_bytes)" -gt $((256 << 20))
ok "256 MiB again" nrdmactl pool set node "$node" size 256M
ok "is filled, and nothing keeps it from that" within 60 settled
is "no reason any more" "$(pool_json .error)" null
echo 50 >/sys/module/nrdma/parameters/uid_cap
echo 90 >/sys/module/nrdma/parameters/node_cap
ok "back to nothing" nrdmactl pool set node "$node" size 0 shrink off
ok "and nothing is kept" within 30 ready 0

nothing_left
done_testing
