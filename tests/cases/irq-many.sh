#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: many-vectors
#
# Tens of vectors: all of them steered by one request, evenly; channels come and go.
# How much faster that is than a shell loop over /proc/irq is printed, not judged.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth1)
before=$(masks "$pci")
n=$(virqs "$pci" | wc -l)

# evenly CPU...: that is where they are, and no CPU has two more than another
evenly() {
	every "$(masks "$pci")" "$@" || return
	masks "$pci" | tr ' ' '\n' | sort | uniq -c | awk -v cpus=$# '
		{ print }
		NR == 1 || $1 < least { least = $1 }
		$1 > most { most = $1 }
		END { exit !(NR == cpus && most - least <= 1) }'
}

ok "there are tens" test "$n" -ge 64
ok "local" nrdmactl irq set rxe_eth1 policy local
ok "is evenly over the node" evenly 2 3
is "all are told" "$(policy_json rxe_eth1 '| .placed + .pending')" "$n"
ok "spread" nrdmactl irq set rxe_eth1 policy spread
ok "is evenly over all" evenly 0 1 2 3
is "in few messages, each vector once" \
	"$(irq_json rxe_eth1 'map(.vector) | (length, (unique | length)) | tostring' | paste -sd' ')" "$n $n"

# ---- how fast ----

# loop MASKS: what people do by hand; microseconds
loop() {
	local i begin
	local -a mask irq
	read -ra mask <<<"$1"
	mapfile -t irq < <(virqs "$pci")
	begin=${EPOCHREALTIME/./}
	for i in "${!irq[@]}"; do
		echo "${mask[i]}" >"/proc/irq/${irq[i]}/smp_affinity_list"
	done
	echo $((${EPOCHREALTIME/./} - begin))
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Alternately, each from the node's CPUs to all, and the same masks.
for round in 1 2 3 4 5; do
	t-steer rxe_eth1 5 >>"$tmp/request"
	all=$(masks "$pci")
	nrdmactl irq set rxe_eth1 policy local >/dev/null
	loop "$all" >>"$tmp/loop"
	[ "$(masks "$pci")" = "$all" ] || bail "round $round: the loop did not do the same"
done
request=$(median <"$tmp/request") loop=$(($(median <"$tmp/loop") * 1000))
echo "# $n vectors, medians: one request $request ns, loop over /proc/irq $loop ns: $((loop / request)) times"

# ---- back ----

ok "what the loop has moved is taken back" nrdmactl irq set rxe_eth1 policy local lock on
ok "restored" nrdmactl irq restore rxe_eth1
unload_proves "$pci" "$before"
done_testing
