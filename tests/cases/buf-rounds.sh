#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# append: slub_debug=U
# timeout: 600
# parallel: yes
#
# 1,000 processes that map, touch, register, let go or not, and exit; 200 rounds of
# load and unload. Whatever one of them left would be there as often.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))
rounds=${ROUNDS:-1000} loads=${LOADS:-200}
# With fewer, one of each would not show among what comes and goes by itself.
[ "$rounds" -ge 400 ] || rounds=400
[ "$loads" -ge 200 ] || loads=200

pinned() { awk '/^nr_foll_pin_acquired/ { n += $2 } /^nr_foll_pin_released/ { n -= $2 } END { print n }' /proc/vmstat; }

# lost WHAT: KiB that the nodes have less than in $tmp/WHAT.NODE
lost() {
	local n sum=0
	settle
	for n in $(nodes); do
		sum=$((sum + $(cat "$tmp/$1.$n") - $(node_free "$n")))
	done
	echo "$sum"
}

# remember WHAT
remember() {
	local n
	objects >"$tmp/$1"
	for n in $(nodes); do
		node_free "$n" >"$tmp/$1.$n"
	done
}

# The check must see a leak: hold as many files as there are rounds.
sees_a_leak() {
	remember probe
	hold files bash -c "for ((i = 0; i < $rounds; i++)); do exec {fd}</dev/null; done; echo ready; read -r" || return
	grown probe $((rounds * 9 / 10)) | grep ^filp:
}
ulimit -n 8192
# That reading them costs memory the first time is not to be seen later
objects >/dev/null
ok "an object each of $rounds is seen" sees_a_leak
drop files >/dev/null

leak_check_begin
# What is there from the first time on
t-rounds "$dev" "$chardev" $((4 * mib)) 50 >/dev/null
ok "nobody has a buffer" within 10 unused

remember rounds
pins=$(pinned)
is "$rounds rounds" "$(t-rounds "$dev" "$chardev" $((4 * mib)) "$rounds")" "rounds=$rounds"
ok "nobody has a buffer" within 20 unused
is "none is listed" "$(buf_json length)" 0
is "as many pages are pinned" "$(pinned)" "$pins"
ok "nobody has an object for each round" within 20 none_grown rounds $((rounds * 9 / 10))
kib=$(lost rounds)
ok "the nodes have $kib KiB less, less than a page a round" test "$kib" -lt $((rounds * 4))

rmmod nrdma && modprobe nrdma
remember loads
for ((i = 0; i < loads; i++)); do
	rmmod nrdma || break
	modprobe nrdma || break
	((i % 10)) || t-buf map "$chardev" $((2 * mib)) >/dev/null || break
done
is "rounds of unload and load" "$i" "$loads"
ok "nobody has an object for each" within 20 none_grown loads $((loads * 9 / 10))
kib=$(lost loads)
ok "the nodes have $kib KiB less, less than 8 KiB a round" test "$kib" -lt $((loads * 8))
is "and it works" "$(word zero "$(t-buf map "$chardev" $((2 * mib)))")" 1

nothing_left
done_testing
