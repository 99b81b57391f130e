#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: two-node
# smoke: yes
#
# What nrdmactl refuses, it refuses in a line that names the thing and the way
# out, with the right exit status, and nothing changes.

# shellcheck source=tests/cases/lib/irq.sh
. "$(dirname "$0")/lib/irq.sh"

usage() {
	local name=$1 words=$2 status
	shift 2
	nrdmactl "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	is "$name: status and lines" "$status $(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" "1 1 0"
	ok "$name: words" grep -qF -- "$words" "$tmp/err"
}

before=$(nrdmactl -j dev show)

usage "unknown object" "see nrdmactl help" nonsense
usage "unknown command" "there is show, set, restore" irq nonsense
usage "unknown key" "there is policy, lock" irq set rxe_eth0 nonsense on
usage "unknown value" "must be one of local, spread, off" irq set rxe_eth0 policy nonsense
usage "no device" "DEV is missing" irq set
usage "nothing to set" "nothing to set" dev set rxe_eth0

refused "unknown device" 'no RDMA device "nosuch": there is rxe_eth0 (eth0, ' nrdmactl status nosuch
refused "unknown port" "has no port 9: there is 1" nrdmactl status rxe_eth0/9
refused "a node that is not there" "(attribute node-override)" nrdmactl dev set rxe_eth0 node 7
refused "a pool where there is no memory" "(attribute node)" nrdmactl pool set node 7 size 2M
refused "a pool beyond what the node has" "(attribute bytes)" nrdmactl pool set node 0 size 1T
refused "more CPUs than a request holds" "too long for a request" \
	nrdmactl irq set rxe_eth0 policy cpus "0$(printf ',1%.0s' {1..40000})"

user="setpriv --reuid 1000 --regid 1000 --clear-groups"
for words in "dev set rxe_eth0 node 1" "irq set rxe_eth0 policy local" "irq restore rxe_eth0" \
	"pool set node 0 size 2M"; do
	# shellcheck disable=SC2086
	refused "without CAP_NET_ADMIN: $words" "needs CAP_NET_ADMIN" $user nrdmactl $words
	# shellcheck disable=SC2086
	refused "with it in a namespace of one's own: $words" "needs CAP_NET_ADMIN" \
		$user unshare -Ur nrdmactl $words
done

is "nothing has changed" "$(nrdmactl -j dev show)" "$before"

nrdmactl monitor count 1 timeout 1 >/dev/null 2>"$tmp/err"
is "events that do not come" "$? $(cat "$tmp/err")" "2 nrdmactl: monitor: 0 of 1 events came in 1 s"
ok "no event was asked for" nrdmactl monitor timeout 1
nrdmactl status >/dev/full 2>/dev/null
is "a full disk" $? 2

done_testing
