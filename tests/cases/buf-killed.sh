#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# timeout: 600
# parallel: yes
#
# The module cannot be unloaded while a file is open or a buffer mapped; processes
# that are killed in the midst of traffic leave nothing.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mappers=${MAPPERS:-100} mapper=()
mib=$((1 << 20))
leak_check_begin
ulimit -l unlimited

busy() { ! rmmod nrdma 2>"$tmp/busy" && grep -q 'in use' "$tmp/busy"; }
exec 7<>"$chardev"
ok "open: busy" busy
exec 7>&-
ok "closed: not" within 10 unused
ok "a buffer is mapped, the file closed" hold mapped t-lib hold "$dev" $((4 * mib))
ok "mapped: busy" busy
drop mapped >/dev/null
ok "unmapped: not" within 10 unused
ok "a descriptor is in flight, nothing open" hold passed t-pass "$chardev" $((4 * mib))
ok "in flight: busy" busy
drop passed >/dev/null
ok "received and closed: not" within 10 unused

# Traffic over buffers all the while, and mappers killed as they come
bw=(ib_write_bw -d "$dev" -x "$(gid_of "$dev")" --mmap="$chardev" -s 65536 -D 300)
"${bw[@]}" >"$tmp/bw.server" 2>&1 &
server=$!
listens() { ss -Hltn | grep -q :18515; }
two_left() { [ "$(buf_json length)" = 2 ]; }
within 20 listens
"${bw[@]}" "$ip" >"$tmp/bw.client" 2>&1 &
client=$!
ok "traffic over two buffers" within 20 two_left

mkfifo "$tmp/never"
exec 8<>"$tmp/never"
killed=0
while [ $killed -lt "$mappers" ]; do
	: >"$tmp/mapper.0"
	# Some while they allocate, some when they have it
	for i in 0 1 2 3; do
		t-buf hold "$chardev" $(((i < 2 ? 4 : 128) * mib)) <&8 >"$tmp/mapper.$i" 2>&1 &
		mapper[i]=$!
	done
	has_it() { grep -q ready "$tmp/mapper.0"; }
	within 20 has_it
	kill -KILL "${mapper[@]}"
	wait "${mapper[@]}" 2>/dev/null
	killed=$((killed + 4))
done
is "mappers killed" "$killed" "$mappers"
ok "only the two of the traffic are left" within 10 two_left
ok "which goes on" kill -0 $client $server
kill -KILL $client $server
wait $client $server 2>/dev/null
ok "killed as well, with their registrations" within 20 unused
is "none is left" "$(buf_json length)" 0
ok "nor their memory missing" within 20 free_again

nothing_left
done_testing
