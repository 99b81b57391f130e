#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# append: slub_debug=U
# timeout: 600
# parallel: yes
#
# Probes that are cut at random points: the reader killed, the socket closed, the
# device removed, the module asked to go. Nothing hangs, and nothing is left of them.
# ROUNDS (300; 1,000 take nine minutes) and SEED may be given.

# shellcheck source=tests/cases/lib/probe.sh
. "$(dirname "$0")/lib/probe.sh"

rounds=300
! on_debug || rounds=100
rounds=${ROUNDS:-$rounds}
type=${dev%%_*}
RANDOM=${SEED:-1}

leak_check_begin
before=$(resources)
# What is there from the first time on
t-probe-cuts "$dev" "$type" "$netdev" 20 1 >/dev/null
settle
objects >"$tmp/cut"
start=$SECONDS
t-probe-cuts "$dev" "$type" "$netdev" "$rounds" "${SEED:-1}" >"$tmp/cuts" 2>&1
is "$rounds probes are cut" "$? $(grep -o '^rounds=.*' "$tmp/cuts")" "0 rounds=$rounds"
sed 's/^[^#]/# &/' "$tmp/cuts"
echo "# $((SECONDS - start)) s"
# A quarter of them removes the device; some objects come and go by themselves. With
# fewer rounds it would not show, but on the debug kernel kmemleak tells.
settle
[ "$rounds" -lt 300 ] ||
	ok "nobody has an object for each" within 20 none_grown cut $((rounds < 1000 ? 200 : rounds / 5))
nothing_of_probe "$before"

# ---- the tool ----

# tool SIGNAL: it dies of the signal, at some point from its first line of code on
tool() {
	# What a shell starts in the background ignores SIGINT
	env --default-signal=INT nrdmactl probe "$dev" rounds 1000 time 60 >/dev/null 2>&1 &
	reader=$!
	within 10 grep -qx nrdmactl "/proc/$reader/comm"
	read -rt "0.$((RANDOM % 10))$((RANDOM % 10))" <>"$tmp/never"
	kill "-$1" $reader
	wait $reader
} 2>/dev/null

mkfifo "$tmp/never"
for signal in INT TERM KILL; do
	died=0
	for ((i = 0; i < 10; i++)); do
		tool $signal
		[ $? != $((128 + $(kill -l $signal))) ] || died=$((died + 1))
		within 20 unused || break
	done
	is "the tool dies of SIG$signal" $died 10
done
ok "the last one is over" unused
nothing_of_probe "$before"
ok "and another one can be made" probe rounds 1

nothing_left
done_testing
