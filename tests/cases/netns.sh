#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kmod: nrdma_provider
# kernels: 6.1 6.12 7.2 7.3 debug
# smoke: yes
#
# RDMA devices that belong to one network namespace each: who is in another does not
# see them, nor open, measure or change them, and is told so. One that is moved has left
# the first, and works in the other; of two with one name each has a node in /dev.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/prov.sh
. "$(dirname "$0")/lib/prov.sh"

# In the other one, with this one's sysfs; and with its own, as a container has it
elsewhere() { nsenter --net="/proc/$other/ns/net" "$@"; }
inside() { ip netns exec other "$@"; }
names() { jq -r 'map(.name) | join(" ")'; }
hidden='[null,null]'
entered() { [ "$(readlink "/proc/$other/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
does_not_apply() {
	elsewhere nrdmactl -j check "$dev" only chardev |
		jq -e '.[0] | .verdict == "n/a" and .found == "not in this network namespace"'
}
# The provider's, which alone have no driver; on 7.3 they come back under another name
back() { [ "$(nrdmactl -j dev show | jq 'map(select(.driver == null and .chardev != null)) | length')" = "$moving" ]; }
moving=1

leak_check_begin
prov_begin
prov add moving parent=none
before=$(nrdmactl -j dev show | jq -c 'map([.name, .node, .policy])')

# One that has just ended is in the way
is "shared: every namespace has all of them" \
	"$(unshare --net nrdmactl -j dev show | jq -c 'map(.chardev)')" \
	'["/dev/nrdma/moving","/dev/nrdma/rxe_eth0","/dev/nrdma/rxe_eth1"]'
ok "exclusive" within 20 rdma system set netns exclusive
unshare --net sleep infinity &
other=$!
within 10 entered
mkdir /run/netns
touch /run/netns/other
mount --bind "/proc/$other/ns/net" /run/netns/other

# ---- what belongs to another namespace ----

ok "somebody has a buffer here" hold here t-buf hold "$chardev" $((2 << 20))
is "another one has no devices" "$(inside nrdmactl -j dev show)" "[]"
is "with the first one's sysfs it has them, by that alone" \
	"$(elsewhere nrdmactl -j dev show "$dev" | jq -c '.[0] | [.chardev, .policy]')" "$hidden"
like "and is told why" "$(elsewhere nrdmactl dev show "$dev")" \
	"^  character device n/a \(not in this network namespace\)"
like "so too of its vectors" "$(elsewhere nrdmactl irq show 2>&1)" "$dev: not in this network namespace"
is "of their number" "$(elsewhere nrdmactl -j status "$dev" | jq -c '.[0] | [.vectors, .steering]')" "$hidden"
ok "checks that ask for it do not apply" does_not_apply
is "no buffer is shown there" "$(elsewhere nrdmactl -j buf show)" "[]"
is "but here" "$(buf_json length)" 1
is "it cannot be opened" "$(elsewhere t-buf map "$chardev" 4096)" "open=ENODEV"
refused "nor measured" "no such RDMA device" elsewhere nrdmactl probe "$dev"
refused "nor steered" "no such RDMA device" elsewhere nrdmactl irq set "$dev" policy local
refused "nor put back" "no such RDMA device" elsewhere nrdmactl irq restore "$dev"
refused "nor put on another node" "no such RDMA device" elsewhere nrdmactl dev set "$dev" node 0
is "nothing has changed here" "$(nrdmactl -j dev show | jq -c 'map([.name, .node, .policy])')" "$before"
elsewhere nrdmactl -j monitor count 1 timeout 5 >"$tmp/events" 2>/dev/null &
listener=$!
within 10 listens "$other"
ok "it is steered here" nrdmactl irq set "$dev" policy local
ok "and given back" nrdmactl irq restore "$dev"
wait $listener
is "nobody hears of it elsewhere" "$(jq -c 'select(.dev_name == "'"$dev"'")' "$tmp/events")" ""
drop here >/dev/null

# ---- one that is moved ----

ok "moved" rdma dev set moving netns other
is "it has left the first" "$(nrdmactl -j dev show | names)" "rxe_eth0 rxe_eth1"
is "and is in the other" "$(inside nrdmactl -j dev show | jq -c 'map([.name, .chardev])')" \
	'[["moving","/dev/nrdma/moving"]]'
is "which alone may open it" "$(t-buf map /dev/nrdma/moving 4096)" "open=ENODEV"
refused "the first may not change it" "no RDMA device \"moving\"" nrdmactl dev set moving node 1
ok "the other may" inside nrdmactl dev set moving node 1
is "and has" "$(inside nrdmactl -j dev show | jq -c 'map(.node)')" "[1]"
is "so it has buffers of it" "$(word zero "$(elsewhere t-buf map /dev/nrdma/moving 4096)")" 1

# From 7.3 on names are of a namespace
if prov add moving parent=none 2>/dev/null; then
	moving=2
	index=$(nrdmactl -j dev show moving | jq '.[0].index')
	nrdmactl dev set moving node 1 >/dev/null
	is "another of its name has another node in /dev" "$(nrdmactl -j dev show moving | jq -r '.[0].chardev')" \
		"/dev/nrdma/moving@$index"
	ok "which can be opened here" test "$(word zero "$(t-buf map "/dev/nrdma/moving@$index" 4096)")" = 1
	is "and not there" "$(elsewhere t-buf map "/dev/nrdma/moving@$index" 4096)" "open=ENODEV"
	is "each is told of its own" "$(inside nrdmactl -j dev show moving | jq -r '.[0].chardev')" /dev/nrdma/moving
else
	skip "names are the same everywhere on this kernel" "another of its name"
fi

# ---- the namespace goes ----

umount /run/netns/other
rm -r /run/netns
kill $other
wait $other 2>/dev/null
ok "what it had is back in the first" within 20 back
ok "shared again" within 20 rdma system set netns shared
prov_end
nothing_left
done_testing
