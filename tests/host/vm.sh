#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tests/vm/run from its caller's side: output, status, turns, what it does when things go
# wrong, and that no machine is left behind. Boots fifteen guests.

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

plain=("$top/tests/vm/run" --no-module --rdma none --topology no-node)
run() { "${plain[@]}" "$@"; }

# status COMMAND...: its status; output to $tmp/out and $tmp/err
status() {
	local rc=0
	"$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	echo $rc
}

# What QEMU is started with names the directory of this run.
machines() { pgrep -fc "qemu-system-x86_64.*file:$tmp/" || :; }

# ---- a guest that does well ----

printf 'one\ntwo\n' >"$tmp/in"
mkdir "$tmp/share"
echo host >"$tmp/share/in"
# shellcheck disable=SC2016 # expanded in the guest
is "status of the command" "$(status run --share "$tmp/share" --append 'nrdma.word=x y=z' -- bash -c '
	printf "[%s]" "$@"; echo
	echo oops >&2
	wc -l
	cat /mnt/share/in /proc/cmdline
	echo guest >/mnt/share/out
	head -c 3000000 /dev/zero | tr "\0" x
	echo >/dev/stdout
	sleep 1000 &
	exit 7' - 'a b' '' "it's \"\$HOME\" \`id\`" $'two\nlines' '*' '-n' <"$tmp/in")" 7
is "words arrive as they are" "$(sed -n '1,2p' "$tmp/out")" \
	"[a b][][it's \"\$HOME\" \`id\`][two"$'\n'"lines][*][-n]"
is "input as well" "$(sed -n 3p "$tmp/out")" 2
is "the directory, to read" "$(sed -n 4p "$tmp/out")" host
is "and to write" "$(cat "$tmp/share/out" || :)" guest
is "the kernel's command line" "$(sed -n 5p "$tmp/out" | grep -o 'nrdma.word=x y=z')" "nrdma.word=x y=z"
is "much output comes whole" "$(sed -n 6p "$tmp/out" | wc -c)" 3000001
is "and nothing but it" "$(wc -l <"$tmp/out")" 6
is "standard error by itself" "$(cat "$tmp/err")" oops

# ---- how long it takes ----

# From the warm start of run to the end of a command that does nothing
others() { pgrep -c qemu-system || :; }
before=$(others)
start=${EPOCHREALTIME/./}
is "a machine with the module and both devices" \
	"$(status "$top/tests/vm/run" -- true </dev/null)" 0
took=$(((${EPOCHREALTIME/./} - start) / 1000))
echo "# $took ms from the call to its end, $(cut -d' ' -f1 /proc/loadavg) the load"
if [ "$before" = 0 ] && [ "$(others)" = 0 ]; then
	ok "within 15 s" test "$took" -lt 15000
else
	skip "other machines run" "within 15 s"
fi

# ---- one whose kernel complains ----

# shellcheck disable=SC2016
is "a crash in a process: 99" "$(status run --log "$tmp/log" -- bash -c '
	echo "told before"
	mount -t debugfs none /sys/kernel/debug 2>/dev/null
	modprobe null_blk nosuch=1 2>/dev/null
	(echo 0 >/proc/sys/kernel/panic_on_oops; echo c >/proc/sysrq-trigger)
	exit 3')" 99
is "with what the command said" "$(cat "$tmp/out")" "told before"
ok "and the report" grep -q 'sysrq triggered crash' "$tmp/err"
ok "in the log that was asked for" grep -q 'sysrq triggered crash' "$tmp/log"
is "a warning, whatever the status: 99" \
	"$(status run -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at made/up.c:1 here" >/dev/kmsg')" 99
ok "which is printed" grep -q 'made/up.c:1' "$tmp/err"

# ---- one that fails to come, or to end ----

is "a command that does not end: 125" "$(status run --timeout 3 -- sh -c 'echo begun; sleep 1000')" 125
ok "which is said" grep -q 'longer than 3 s' "$tmp/err"
is "a guest that ends early: 125" "$(status run -- sh -c 'echo o >/proc/sysrq-trigger; sleep 100')" 125
ok "with the end of its console" grep -q 'Power Off' "$tmp/err"
# A panic is a report, too.
is "a kernel that panics at boot: 99" "$(status run --append rdinit=/nosuch -- true)" 99
ok "which is printed" grep -q 'Kernel panic' "$tmp/err"

# As where no QEMU is installed: hidden are Debian's, and its firmware
no_qemu() {
	# shellcheck disable=SC2016 # expanded by that shell
	unshare --mount bash -c 'for d in /usr/share/seabios /usr/share/qemu; do
			[ ! -d "$d" ] || mount -t tmpfs none "$d"
		done
		if [ -e /usr/bin/qemu-system-x86_64 ]; then
			mount --bind /bin/false /usr/bin/qemu-system-x86_64
		fi
		exec "$@"' bash "$@"
}
is "on a machine without QEMU" "$(status no_qemu "${plain[@]}" -- true </dev/null)" 0

is "no such topology: 125" "$(status run --topology nosuch -- true)" 125
ok "which names those there are" grep -q 'two-node' "$tmp/err"
printf 'smp 2\nmemory 1G\nnonsense 3\n' >"$tmp/topology"
is "a topology that makes no sense: 125" "$(status run --topology "$tmp/topology" -- true)" 125
ok "which names the line" grep -q 'topology:3: nonsense' "$tmp/err"
is "no command, no terminal: 125" "$(status run </dev/null)" 125
is "an unknown option: 125" "$(status run --nosuch)" 125

# ---- turns ----

# two [OPTION]: machines that are up and stay so, as $pids
two() {
	local n
	pids=()
	for n in 1 2; do
		"${plain[@]}" "$@" --log "$tmp/console.$n" -- sh -c 'echo up; sleep 1000' \
			>"$tmp/up.$n" 2>/dev/null </dev/null &
		pids+=($!)
	done
	for n in 1 2; do
		while kill -0 "${pids[n-1]}" && ! grep -q up "$tmp/up.$n"; do
			sleep 0.2
		done 2>/dev/null
	done
}
two_end() {
	kill "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null || :
}

two
is "two are up" "$(machines)" 2
is "a third machine waits" "$(status timeout 10 "${plain[@]}" --log "$tmp/console.3" \
	-- true </dev/null)" 124
ok "before it boots" test ! -s "$tmp/console.3"
two_end
two --beside
is "two that sleep, too" "$(machines)" 2
is "which no machine waits for" "$(status timeout 200 "${plain[@]}" -- true </dev/null)" 0
two_end
is "none is left" "$(machines)" 0

# ---- one that is interrupted ----

for sig in INT KILL; do
	# A job in the background has SIGINT ignored, and what is ignored stays so.
	env --default-signal=INT "${plain[@]}" --log "$tmp/console" -- sleep 1000 \
		>/dev/null 2>&1 </dev/null &
	pid=$!
	while kill -0 $pid && ! grep -q 'Run /init' "$tmp/console"; do
		sleep 0.2
	done 2>/dev/null
	is "$sig: it runs" "$(machines)" 1
	kill -$sig $pid
	rc=0
	wait $pid 2>/dev/null || rc=$?
	for ((n = 0; n < 50; n++)); do
		[ "$(machines)" != 0 ] || break
		sleep 0.1
	done
	is "$sig: no machine is left" "$(machines)" 0
	rm -f "$tmp/console"
done

done_testing
