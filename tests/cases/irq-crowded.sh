#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: crowded
# timeout: 300
#
# A CPU has no interrupt left to give: the next one of its node takes the vector, and
# when there is none, what could not be placed is told and stays where it was.
#
# The kernel finds out when it moves a vector, which it does at once the first time,
# and only at the next interrupt after that: each NIC is steered once.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

for d in 0 1 2 3; do
	pci[d]=$(pci_of eth$d)
done
# The last of its node in any plan
full=3
before1=$(masks "${pci[1]}")
n=$(virqs "${pci[0]}" | wc -l)
# on NIC CPU: how many of its vectors may go there alone
on() { masks "${pci[$1]}" | tr ' ' '\n' | grep -cx "$2"; }
count() { policy_json rxe_eth"$1" ".$2"; }
state() { irq_json rxe_eth3 "map(select(.state == \"$1\")) | length"; }

for d in 1 2; do
	ok "eth$d: all its $n vectors on CPU $full" nrdmactl irq set rxe_eth$d policy cpus $full
	is "eth$d: at once" "$(count $d placed)" "$n"
done

# ---- no room for all, and the policy names no other CPU ----

was=$(masks "${pci[3]}")
nrdmactl -j irq set rxe_eth3 policy cpus $full >"$tmp/set" 2>"$tmp/err"
status=$?
placed=$(jq '.[0].policy.placed' "$tmp/set")
echo "# placed $placed of $n"
is "not all could be placed: the status says so" "$status" 2
ok "some were" test "$placed" -gt 0
ok "not all" test "$placed" -lt "$n"
is "told in the policy" "$(count 3 placed) $(count 3 failed)" "$placed $((n - placed))"
is "and of each vector" "$(state placed) $(state failed)" "$placed $((n - placed))"
is "why" "$(count 3 error)" -28
ok "in words" sh -c "nrdmactl irq show rxe_eth3 | grep -q 'failed: No space left on device'"
ok "placed N of M in text" sh -c \
	"nrdmactl irq set rxe_eth3 policy cpus $full | grep -q 'vectors $n, placed $placed, .* failed $((n - placed)): No space'"
# as_told: those that are told as placed are there, the others where they were
as_told() {
	local -a old now told
	local i
	read -ra old <<<"$was"
	read -ra now <<<"$(masks "${pci[3]}")"
	read -ra told <<<"$(irq_json rxe_eth3 'sort_by(.irq) | map(.state) | join(" ")')"
	for i in "${!old[@]}"; do
		echo "$i: ${old[i]}, now ${now[i]}: ${told[i]}"
		case ${told[i]} in
		placed) [ "${now[i]}" = "$full" ] || return ;;
		failed) [ "${now[i]}" = "${old[i]}" ] || return ;;
		*) return 1 ;;
		esac
	done
}
ok "what is told is what was read back" as_told
is "those that could not be are not locked" \
	"$(irq_json rxe_eth3 'map(select(.state == "failed" and .locked)) | length')" 0

# ---- the next CPU of the same node ----

ok "eth0 over all CPUs" nrdmactl irq set rxe_eth0 policy spread
is "all are placed" "$(count 0 placed) $(count 0 failed)" "$n 0"
for cpu in 0 1 2 3; do
	share[cpu]=$(on 0 $cpu)
done
echo "# of each CPU: ${share[*]}"
ok "fewer on the CPU that is full than were meant for it" test "${share[full]}" -lt $((n / 4))
ok "the rest on the other one of its node, none on those of the next" \
	test $((share[2] + share[full])) -ge $((n / 2))
is "which is told as no error" "$(count 0 error)" null

# ---- room again ----

nrdmactl irq set rxe_eth2 policy off >/dev/null
echo "${pci[2]}" >/sys/bus/pci/drivers/virtio-pci/unbind
placed_all() { [ "$(on 3 "$full")" = "$n" ] && [ "$(count 3 failed)" = 0 ]; }
ok "another NIC goes: the check places the rest, in 15 s" awake within 15 placed_all

for d in 0 1 3; do
	ok "eth$d restored" nrdmactl irq restore rxe_eth$d
	ok "eth$d: open to user space" moves "${pci[d]}"
done
echo "${pci[2]}" >/sys/bus/pci/drivers/virtio-pci/bind
there() { [ -e /sys/class/net/eth2 ]; }
within 20 there
ip link set eth2 up
ip addr add 10.0.2.1/24 dev eth2
rdma link add rxe_eth2 type rxe netdev eth2
unload_proves "${pci[1]}" "$before1"
done_testing
