#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: 6.1 6.12 7.2 7.3 debug
# timeout: 240
# parallel: yes
#
# Valid calls, nearly valid ones and garbage, as root, as a user and in a user's own
# namespaces, while devices come and go. For longer ones: scripts/fuzz, which sets
# FUZZ_SEED and FUZZ_LENGTH. See tests/bin/t-fuzz.c.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

length=4000
! on_debug || length=1500
seed=${FUZZ_SEED:-1} length=${FUZZ_LENGTH:-$length}

for d in fuzzd0 fuzzd1; do
	ip link add $d type dummy
	ip link set $d up
done

# Somebody hears of it all
nrdmactl monitor > >(wc -l >"$tmp/events") 2>/dev/null &
listener=$!

# fuzz WHO WANTED COMMAND...: it comes to its end, and each call of WANTED (a regex)
# that was tried 20 times has succeeded at times
fuzz() {
	local who=$1 wanted=$2
	shift 2
	"$@" >"$tmp/fuzz" 2>&1
	is "$who: to its end" $? 0
	sed 's/^/# /' "$tmp/fuzz"
	is "$who: no call that never succeeds" \
		"$(awk -v wanted="$wanted" '$0 ~ wanted && / calls +0 succeeded/ && $(NF - 3) >= 20' "$tmp/fuzz")" ""
	ok "$who: and it says how many" grep -q "^seed $seed, uid .* [1-9][0-9]* succeeded" "$tmp/fuzz"
	seed=$((seed + 1))
}

# What can succeed at all
calls='^(open|close|ioctl (INFO|ALLOC|QUERY)|poll|m[a-z]+|touch|dma-buf|pass|fork)'
gets='|^(INFO|DEV|IRQ|BUF|POOL)_GET'
# Of users
ulimit -l 65536

fuzz "root, while devices come and go" "$calls$gets|^(DEV_SET|IRQ_|POOL_SET|PROBE_RUN|link|rename)" \
	t-fuzz "$seed" "$length" links
fuzz "a user" "$calls$gets" as_user t-fuzz "$seed" "$length"
fuzz "root of a namespace of his own" "$calls$gets" \
	as_user unshare -Ur t-fuzz "$seed" "$length"
is "users changed nothing" "$(as_user t-fuzz "$seed" 400 | awk '/_SET|RESTORE|PROBE_RUN/ && !/ 0 succeeded/')" ""

ok "who listens does so still" kill "$listener"
told() { [ "$(cat "$tmp/events")" -gt 10 ]; }
ok "and has heard of it" within 10 told

# What root has set is taken back, whatever it was.
ok "no buffer is left" within 30 unused
is "nor listed" "$(buf_json length)" 0
for d in rxe_eth0 rxe_eth1; do
	ok "$d: restored" nrdmactl irq restore $d
	ok "$d: its own node" nrdmactl dev set $d node auto
done
for n in $(nodes); do
	ok "node $n: no pool" nrdmactl pool set node "$n" size 0
	empty() { nrdmactl pool set node "$n" chunk 2M group none cap 0; }
	ok "node $n: as it was" within 30 empty
done
is "as many devices as before" "$(nrdmactl -j dev show | jq -r 'map(.name) | join(" ")')" \
	"rxe_eth0 rxe_eth1"
is "it works" "$(word zero "$(t-buf map "$chardev" $((4 << 20)))")" 1

for d in fuzzd0 fuzzd1; do
	ip link delete $d
done
done_testing
