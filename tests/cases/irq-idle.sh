#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# kernels: 6.1 6.12 7.2 7.3 debug
# timeout: 300
# sleeps: yes
#
# What steering costs when nothing changes, counted with the kernel's own tracing:
# a deferrable timer, which wakes no idle CPU, at most 6 times a minute; and no timer
# at all while nothing is steered.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

tracing=/sys/kernel/tracing
events="timer/timer_start timer/timer_expire_entry workqueue/workqueue_execute_start"
# 6.1 prints no flags when it prints addresses: let it look at them itself, for an
# instance of its own.
hard=$tracing/instances/hard

# The timer is within the work, whose address the kernel tells root.
read -r work _ < <(grep ' nrdma_irq_check_work\s' /proc/kallsyms)
[ $((16#${work:-0})) != 0 ] || bail "no address of nrdma_irq_check_work"
mkdir $hard
for instance in $tracing $hard; do
	[ ! -e "$instance/options/hash-ptr" ] || echo 0 >"$instance/options/hash-ptr"
done
ok "starts that are not deferrable (TIMER_DEFERRABLE, 0x80000) are seen apart" \
	eval 'echo "!(flags & 0x80000)" >$hard/events/timer/timer_start/filter'

# trace SECONDS [UNTIL]: what the kernel did for nrdma meanwhile
trace() {
	local e
	echo >$tracing/trace
	echo >$hard/trace
	echo 1 >$hard/events/timer/timer_start/enable
	for e in $events; do echo 1 >$tracing/events/"$e"/enable; done
	if [ $# = 1 ]; then
		sleep "$1"
	else
		within "$@"
	fi
	for e in $events; do echo 0 >$tracing/events/"$e"/enable; done
	echo 0 >$hard/events/timer/timer_start/enable
	cp $tracing/trace "$tmp/trace"
	cp $hard/trace "$tmp/hard"
}

# of_timer EVENT [FILE]: lines of the timer in it
of_timer() {
	local line addr
	sed -nE "s/^.* $1: timer=(0x)?([0-9a-f]+) (.*)/\\2 \\3/p" "$tmp/${2:-trace}" | while read -r addr line; do
		addr=$((16#$addr - 16#$work))
		[ $addr -lt 0 ] || [ $addr -ge 256 ] || echo "$line"
	done
}
runs() { grep -E 'workqueue_execute_start: .*nrdma_' "${1:-$tmp/trace}"; }
# shellcheck disable=SC2317 # called by trace
looked() { runs "$tracing/trace" >/dev/null; }

# It looks each ten seconds.
trace 15
is "never steered: no timer" "$(of_timer 'timer_[se][a-z_]*')" ""
is "and nothing runs" "$(runs)" ""

ok "steered and locked" nrdmactl irq set rxe_eth0 policy local lock on
ok "the other NIC, too" nrdmactl irq set rxe_eth1 policy local lock on
trace 60
started=$(of_timer timer_start | wc -l)
fired=$(of_timer timer_expire_entry | wc -l)
ran=$(runs | wc -l)
echo "# in 60 s: started $started, fired $fired, ran $ran"
is "nothing of nrdma runs but the check" "$(runs | grep -v 'function nrdma_irq_check')" ""
ok "it does run" test "$ran" -ge 1
ok "6 times a minute at most" test "$ran" -le 6
ok "so does its timer" test "$fired" -le 6
ok "which was seen to be started" test "$started" -ge 1
ok "timers that are not deferrable were, of others" grep -q 'timer_start:' "$tmp/hard"
is "but none of it" "$(of_timer timer_start hard)" ""

ok "one is restored" nrdmactl irq restore rxe_eth0
trace 30 looked
ok "the other is looked after" runs
ok "off, and left as it is" nrdmactl irq set rxe_eth1 policy off
trace 15
is "no timer any more" "$(of_timer 'timer_[se][a-z_]*')" ""
is "and nothing runs" "$(runs)" ""
ok "restored" nrdmactl irq restore rxe_eth1

echo >$tracing/trace
[ ! -e $tracing/options/hash-ptr ] || echo 1 >$tracing/options/hash-ptr
rmdir $hard
done_testing
