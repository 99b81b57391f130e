#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tool and library against modules of another ABI: they name both versions and the
# way out; the tool shows what it can without the module, and changes nothing.
#
#   abi.sh [SERIES]

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

series=${1:-6.1}
cd "$top"

# try ABI: what the tool does with such a module, into $tmp/ABI, a file for each
try() {
	local ko
	ko=$(MAKEVARS="NRDMA_ABI=$1" scripts/kernel build "$series")
	mkdir -p "$tmp/$1"
	cp "$ko" "$tmp/nrdma-abi$1.ko"
	tests/vm/run --kernel "$series" --no-module --share "$tmp/$1" --file "$tmp/nrdma-abi$1.ko" -- bash -c "
		cd /mnt/share
		modprobe -a ib_uverbs rdma_cm
		insmod /vm/nrdma-abi$1.ko || exit
		n=0
		for words in '-j status' 'buf show' 'dev set rxe_eth0 node 1' 'monitor timeout 1' \
			'check only abi'; do
			nrdmactl \$words >out.\$n 2>err.\$n
			echo \$? >status.\$n
			n=\$((n + 1))
		done
		nrdmactl run rxe_eth1 -- true 2>err.\$n
		echo \$? >status.\$n
		t-lib try rxe_eth1 4096 >lib
		rmmod nrdma"
}

version=$(cat VERSION)
for abi in 0 99; do
	ok "a guest with ABI $abi" try $abi
	is "ABI $abi: exit statuses" "$(cat "$tmp/$abi"/status.*)" "$(printf '4\n2\n2\n2\n3\n0')"
	is "ABI $abi: both devices all the same" \
		"$(jq -c 'map([.name, .node, .buf_count])' "$tmp/$abi/out.0")" \
		'[["rxe_eth0",0,null],["rxe_eth1",1,null]]'
	for n in 0 1 2 3; do
		ok "ABI $abi: names both ($n)" \
			grep -qE "module nrdma $version has ABI $abi, nrdmactl $version (needs|knows) 1: " "$tmp/$abi/err.$n"
		is "ABI $abi: in a line ($n)" "$(wc -l <"$tmp/$abi/err.$n")" 1
	done
done
for abi in 0 99; do
	ok "ABI $abi: the library names both as well, $(cat "$tmp/$abi/lib")" \
		grep -q "^EPROTONOSUPPORT .*nrdma ($version) speaks version $abi .* libnrdma ($version) version 1:" \
		"$tmp/$abi/lib"
done
ok "an older module is to be replaced" grep -q "modprobe -r nrdma && modprobe nrdma && nrdmactl apply" "$tmp/0/err.1"
ok "for a newer one the tool is" grep -q "install the nrdmactl that belongs to the module" "$tmp/99/err.1"

done_testing
