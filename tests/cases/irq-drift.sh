#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: 6.1 6.12 7.2 7.3 debug
# timeout: 240
#
# Debian's irqbalance, forced to work, with the lock on and off.

# shellcheck disable=SC2317 # called through ok and within
# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

pci=$(pci_of eth0)
before=$(masks "$pci")

# load; load_off: interrupts, on each CPU
load() {
	local cpu
	loads=()
	for cpu in 0 1 2 3; do
		taskset -c $cpu ping -q -f -6 ff02::1%eth0 >/dev/null 2>&1 &
		loads+=($!)
	done
}
load_off() {
	kill "${loads[@]}"
	wait "${loads[@]}" 2>/dev/null
}

# When nrdma looked, by the kernel's own tracing
tracing=/sys/kernel/tracing
looks() { sed -nE 's/^.* ([0-9.]+): workqueue_execute_start: .*function nrdma_irq_check.*/\1/p' $tracing/trace; }
longest() { awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print most }'; }
echo 1 >$tracing/events/workqueue/workqueue_execute_start/enable

drifted() { [ "$(policy_json rxe_eth0 .drifted)" -gt 0 ]; }
told() { [ -n "$(events 'select(.event == "drifted") | .why')" ]; }

ok "locked" nrdmactl irq set rxe_eth0 policy local
placed=$(masks "$pci")
events_begin
irqbalance --foreground --interval 2 >"$tmp/irqbalance" 2>&1 &
balancer=$!
load
sleep 30
ok "irqbalance is still at work" kill -0 $balancer
is "in half a minute it has moved none" "$(masks "$pci")" "$placed"
is "and no drift is told" "$(events .event)" ""

ok "unlocked" nrdmactl irq set rxe_eth0 lock off
# It moves them to and fro, and one that is back when nrdma looks has not drifted:
# stopped, it leaves them where they are.
stays_drifted() {
	kill -CONT "$balancer"
	within 30 drifted && kill -STOP "$balancer" && drifted
}
ok "it moves some" within 120 stays_drifted
seen=$(date +%s%N)
ok "which is told" within 30 told
# By its own time: on a host this busy, asking takes seconds.
late=$((($(events 'select(.event == "drifted") | .time' | head -n1) - seen) / 1000000))
echo "# told $late ms after it was seen; nrdma looked $(looks | wc -l) times, $(looks | longest) s apart at most"
ok "in 15 s" test $late -le 15000
is "with the remedy" "$(events 'select(.event == "drifted") | .why' | head -n1 | grep -c 'lock on')" 1
moved=$(irq_json rxe_eth0 'map(select(.state == "drifted") | .irq) | .[0]')
# At once: asked to go, it might first move that one back
kill -KILL $balancer
wait $balancer 2>/dev/null
load_off
is_drifted() { irq_json rxe_eth0 ".[] | select(.irq == $moved) | .state"; }
sleep 12
is "and is not fought" "$(is_drifted)" drifted
ok "locking takes them back" nrdmactl irq set rxe_eth0 lock on
is "all of them" "$(masks "$pci")" "$placed"
events_end
echo 0 >$tracing/events/workqueue/workqueue_execute_start/enable
echo >$tracing/trace

ok "restored" nrdmactl irq restore rxe_eth0
unload_proves "$pci" "$before"
done_testing
