#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The verdict of a probe, with a test build of the module that makes a node slow
# where told to, or spoils what arrives: it names that node, and without it sees no
# difference; status and check show it later. And the module as it is on a kernel
# without the connection manager: all but iWARP.
#
#   probe.sh [SERIES]

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

series=${1:-6.1}
cd "$top"

ko=$(MAKEVARS="NRDMA_TEST=1" scripts/kernel build "$series")
cp "$ko" "$tmp/nrdma-test.ko"
mkdir "$tmp/out"

# The device's node is 1. The lag is as long as an operation takes: twice as slow.
# shellcheck disable=SC2016 # expanded in the guest
guest='
cd /mnt/share || exit
modprobe -a ib_uverbs rdma_cm || exit
insmod /vm/nrdma-test.ko || exit
params=/sys/module/nrdma/parameters
dev=rxe_eth1
probe() { nrdmactl -j probe $dev rounds 15 time 60 iterations 200 >$1.json 2>$1.err; echo $? >$1.status; }
nrdmactl -j status $dev >never.json
probe even
ns=$(jq "[.[0].cells[].median] | max" even.json)
echo $ns >$params/probe_lag_ns
echo 0 >$params/probe_lag_node
probe other
nrdmactl -j status $dev >other.status.json
nrdmactl -j check $dev only probe >other.check.json
echo 1 >$params/probe_lag_node
probe own
nrdmactl -j status $dev >own.status.json
nrdmactl -j check $dev only probe >own.check.json
nrdmactl dev set $dev node 0 >/dev/null
probe override
nrdmactl dev set $dev node auto >/dev/null
echo -1 >$params/probe_lag_node
nrdmactl -j probe $dev rounds 2 >few.json
nrdmactl -j status $dev >few.status.json
echo 1 >$params/probe_spoil
for op in write read send pingpong; do
	nrdmactl probe $dev op $op rounds 1 >/dev/null 2>spoil.$op
	echo $? >>spoil.status
done
rmmod nrdma'

ok "a guest with the test build" tests/vm/run --kernel "$series" --no-module --timeout 540 \
	--share "$tmp/out" --file "$tmp/nrdma-test.ko" -- bash -c "$guest"
verdict() { jq -r ".[0].verdict.$2" "$tmp/out/$1.json"; }
jq -c '.[0] | [.rounds, .verdict, (.cells | map([.mem_node, .cpu_node, .median, .median_low, .median_high]))]' \
	"$tmp"/out/{even,other,own,override}.json | sed 's/^/# /'

is "never measured" "$(jq -c '.[0].probe' "$tmp/out/never.json")" '{"word":null,"age":null,"text":null}'
is "no node is slow" "$(verdict even word)" no_difference
is "the other node is slow" "$(verdict other word)" agrees
is "the best is the device's" "$(verdict other best_node)" 1
ok "about twice as slow" jq -e '.[0].verdict.ratio > 1.3 and .[0].verdict.ratio < 4' "$tmp/out/other.json"
is "the device's node is slow" "$(verdict own word)" contradicts
is "the other one is the best" "$(verdict own best_node)" 0
ok "in words" grep -qE "memory on node 0 is [0-9.]+x faster although firmware says node 1" "$tmp/out/own.json"
is "with the command" "$(verdict own fix)" "nrdmactl dev set rxe_eth1 node 0"
is "after which it agrees" "$(verdict override word)" agrees
ok "with the administrator" grep -q "an administrator says node 0" "$tmp/out/override.json"
is "status shows it" "$(jq -r '.[0].probe.word' "$tmp/out/own.status.json")" contradicts
ok "with its age" jq -e '.[0].probe.age >= 0 and .[0].probe.age < 60' "$tmp/out/own.status.json"
ok "and so does check" grep -q "memory on node 0 is" "$tmp/out/own.check.json"
is "as worth knowing, on a software device" "$(jq -r '.[0].verdict' "$tmp/out/own.check.json")" info
is "two rounds decide nothing" "$(verdict few word)" inconclusive
is "and what did is kept" "$(jq -r '.[0].probe.word' "$tmp/out/few.status.json")" agrees
is "what is spoilt is found" "$(cat "$tmp/out/spoil.status")" "$(printf '2\n2\n2\n2')"
for op in write read send pingpong; do
	ok "$op: in words" grep -q "what arrived is not what was sent" "$tmp/out/spoil.$op"
done

# build_without: with the headers of one that has it, but for that option. Below
# build, that the cache knows it again.
build_without() {
	mkdir -p build
	echo '#undef CONFIG_INFINIBAND_ADDR_TRANS' >build/no-cm.h
	MAKEVARS="CONFIG_INFINIBAND_ADDR_TRANS= KCFLAGS=--include=$top/build/no-cm.h" \
		scripts/kernel build "$series" "$tmp/no-cm"
}

# shellcheck disable=SC2016 # expanded in the guest
guest='
insmod /vm/nrdma.ko || exit
nrdmactl -j probe rxe_eth1 rounds 1 | jq -c ".[0].cells | map(.median > 0)"
nrdmactl probe siw_eth1 rounds 1 2>&1
echo "status $?"
rmmod nrdma'
guest_without() {
	tests/vm/run --kernel "$series" --rdma both --no-module --file "$tmp/no-cm/nrdma.ko" -- \
		bash -c "$guest" >"$tmp/no-cm/out"
}

ok "it builds for a kernel without the connection manager" build_without
is "and takes nothing of it" "$(modinfo -F depends "$tmp/no-cm/nrdma.ko")" ib_core
ok "a guest with that" guest_without
ok "RoCE is measured" grep -x '\[true,true,true,true\]' "$tmp/no-cm/out"
ok "iWARP is refused" grep -x 'status 2' "$tmp/no-cm/out"
ok "in words" grep "this kernel has no connection manager (CONFIG_INFINIBAND_ADDR_TRANS)" "$tmp/no-cm/out"

done_testing
