#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
# timeout: 240
# parallel: yes
#
# The NIC goes away while buffers are open, mapped and registered: nothing waits,
# pages stay, and what comes back is another device.

# shellcheck source=tests/cases/lib/buf.sh
. "$(dirname "$0")/lib/buf.sh"

mib=$((1 << 20))
# Tracing takes its memory at its first use
echo 64 >/sys/kernel/tracing/buffer_size_kb
leak_check_begin
ulimit -l unlimited

# took NAME SECONDS COMMAND...: it succeeds, and is that quick; on the debug kernel as the
# suite's limits are there
took() {
	local name=$1 limit=$2 start=${EPOCHREALTIME/./}
	! on_debug || limit=$((limit * 4))
	shift 2
	ok "$name" "$@"
	start=$((${EPOCHREALTIME/./} - start))
	ok "in $((start / 1000)) ms" test $start -lt $((limit * 1000000))
}

orphans() { buf_json "map(select(.orphan)) | map(.pid) | sort | map(tostring) | join(\" \")"; }
gone() { [ ! -e "$chardev" ]; }

# ---- open and mapped ----

ok "a file is open, its buffer mapped" hold open t-buf hold "$chardev" $((16 * mib))
ok "another is mapped only" hold mapped t-lib hold "$dev" $((16 * mib))
is "no orphans" "$(orphans)" ""
took "the RDMA device is removed" 5 rdma link delete "$dev"
ok "its character device with it" gone
is "orphans, with the pid of each" "$(orphans)" "$(printf '%s\n' "${held[@]}" | sort -n | paste -sd' ')"
is "under its name" "$(buf_json 'map(.dev_name) | unique | join(" ")')" "$dev"
index=$(buf_json '.[0].dev_index')

ok "a device of its name comes" add_rxe
ok "with a character device" within 10 test -c "$chardev"
is "it has a buffer" "$(word zero "$(t-buf map "$chardev" $((4 * mib)))")" 1
is "but none of the old one's" "$(nrdmactl -j dev show "$dev" | jq -c '.[0] | [.buf_count, .buf_bytes]')" "[0,0]"
ok "and is another" test "$(nrdmactl -j dev show "$dev" | jq '.[0].index')" != "$index"
drop open >"$tmp/out"
out=$(cat "$tmp/out")
is "the open file: POLLHUP, its pages kept" "$(word hup "$out") $(word kept "$out")" "1 1"
is "and ENODEV for a new mapping" "$(word mmap "$out")" ENODEV
is "with its reason" "$(word reason "$out")" gone
drop mapped >"$tmp/out"
is "the mapped one: its pages kept" "$(tail -n1 "$tmp/out")" kept=1
is "no orphans are left" "$(orphans)" ""

# ---- registered: nrdma's own part ----

ok "a registration is held" hold registered t-linger "$dev" "$chardev" $((8 * mib)) 1
ok "and another buffer mapped" hold mapped t-lib hold "$dev" $((16 * mib))
cd /sys/kernel/tracing || exit
# This function alone: with all of them traced, an emulated machine stands still
echo nrdma_client_remove >set_ftrace_filter
echo function_graph >current_tracer
rdma link delete "$dev" &
delete=$!
ok "the RDMA device is being removed" within 5 gone
removed() { grep -q 'nrdma_client_remove' trace; }
ok "nrdma is through with it" within 5 removed
us=$(sed -n 's/.* \([0-9]*\)\.[0-9]* us .*nrdma_client_remove.*/\1/p' trace)
echo nop >current_tracer
echo >set_ftrace_filter
cd /
ok "in ${us:-?} us" test "${us:-9999999}" -lt 1000000
drop registered >/dev/null
wait $delete
is "the removal is over when the registration is" "$?" 0
drop mapped >"$tmp/out"
is "pages are kept" "$(tail -n1 "$tmp/out")" kept=1

# ---- the PCI function itself ----

ok "added again" add_rxe
within 10 test -c "$chardev"
ok "a buffer is mapped" hold mapped t-lib hold "$dev" $((16 * mib))
took "the PCI function is removed" 5 sh -c "echo 1 >/sys/bus/pci/devices/$pci/remove"
ok "its devices are gone" gone
echo 1 >/sys/bus/pci/rescan
ok "it comes back" within 10 test -d "/sys/class/net/$netdev"
ip link set "$netdev" up
ip addr add "$ip/24" dev "$netdev"
ok "with an RDMA device" add_rxe
ok "and a character device" within 10 test -c "$chardev"
is "on its node" "$(nrdmactl -j dev show "$dev" | jq '.[0].node')" "$node"
is "buffers as before" "$(word "node$node" "$(t-buf map "$chardev" $((4 * mib)))")" 1024
drop mapped >"$tmp/out"
is "the old one's pages are kept" "$(tail -n1 "$tmp/out")" kept=1

nothing_left
done_testing
