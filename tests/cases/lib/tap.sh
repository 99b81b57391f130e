# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2317
#
# TAP for the cases; run inside the guest. Ends with done_testing, whose plan the
# suite holds against what was printed.

set -uo pipefail

tap_n=0 tap_failed=0
tmp=$(mktemp -d)

# The debug kernel, on which everything takes several times as long
on_debug() { [ -e /sys/kernel/debug/kmemleak ]; }

# ok NAME COMMAND...: the command succeeds
ok() {
	local name=$1
	shift
	tap_n=$((tap_n + 1))
	if "$@" >"$tmp/tap.out" 2>&1; then
		echo "ok $tap_n - $name"
	else
		echo "not ok $tap_n - $name"
		sed 's/^/# /' "$tmp/tap.out"
		tap_failed=$((tap_failed + 1))
	fi
}

# is NAME GOT WANTED
is() { ok "$1" same "$2" "$3"; }

# A process takes its time here: one is started only to show what differs.
same() { [ "$1" = "$2" ] || diff <(echo "$2") <(echo "$1"); }

# isnt NAME GOT UNWANTED
isnt() { ok "$1" test "$2" != "$3"; }

# like NAME GOT REGEX
like() { ok "$1" grep -E -- "$3" <<<"$2"; }

# refused NAME WORDS COMMAND...: status 2 and these words on stderr
refused() {
	local name=$1 words=$2
	shift 2
	ok "$name" refused_with "$words" "$@"
}

refused_with() {
	local words=$1 status
	shift
	"$@" 2>"$tmp/refused" >/dev/null
	status=$?
	cat "$tmp/refused"
	echo "status $status"
	[ "$status" = 2 ] && grep -qF -- "$words" "$tmp/refused"
}

fails() { ! "$@"; }

# skip REASON NAME: TAP's way to say that a check was not made
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $2 # SKIP $1"
}

# skip_all REASON: nothing of this can be tried here
skip_all() {
	rm -rf "$tmp"
	echo "1..0 # SKIP $1"
	exit 0
}

# bail REASON: what comes next makes no sense without this. No plan: it fails.
bail() {
	rm -rf "$tmp"
	echo "# $1"
	exit 1
}

done_testing() {
	rm -rf "$tmp"
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
	exit
}

# within SECONDS COMMAND...: it succeeds before they are over
within() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}
